import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { validateRules } from '../cel/index.ts';
import { type Infer, s, validateStructural } from '../index.ts';
import { isObject } from '../json.ts';
import { Everything } from '../test/everything.ts';

/** controller-gen v0.21.0 `crd:generateEmbeddedObjectMeta=true` over `everything.go.txt`. */
const golden: unknown = JSON.parse(readFileSync(new URL('../fixtures/everything-crd.json', import.meta.url), 'utf8'));

/** What carries no meaning: the order of `required`, the generator's mark, and its prose on apiVersion and kind. */
function normal(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return key === 'required' ? value.toSorted() : value.map((item) => normal(item));
  if (!isObject(value)) return value;
  if (key === 'apiVersion' || key === 'kind') return { type: value['type'] };
  const kept = Object.entries(value).filter(([name]) => name !== 'controller-gen.kubebuilder.io/version');
  return Object.fromEntries(kept.map(([name, child]) => [name, normal(child, name)]));
}

describe('the words of the builder', () => {
  it('say what the markers of controller-gen say', () => {
    expect(normal(Everything.crd())).toEqual(normal(golden));
  });

  it('make a schema that the server takes', () => {
    expect(validateStructural(Everything.schema)).toEqual([]);
    expect(validateRules(Everything.schema, 'schema')).toEqual([]);
  });
});

describe('patterns', () => {
  it('outside RE2 are refused where they are written', () => {
    expect(() => s.string().pattern('^(?!a)')).toThrow(/is not RE2: .*no look-around/);
    expect(() => s.string().pattern(/(?<=a)b/)).toThrow(TypeError);
    expect(() => s.string().pattern(/(a)\1/)).toThrow(TypeError);
    expect(() => s.string().pattern(/a/g)).toThrow(/flags/);
  });

  it('are taken from regular expressions, flags included', () => {
    expect(s.string().pattern(/^a\/\d\\$/).node.pattern).toBe('^a/\\d\\\\$');
    expect(s.string().pattern(/^a/i).node.pattern).toBe('(?i)^a');
  });
});

describe('rules', () => {
  const text = (rule: string) => s.string().rule(rule).node['x-kubernetes-validations']?.[0]?.rule;

  it('on several lines become one, comments left out', () => {
    expect(text('\n  self.a > 1 && // more than one\n  self.b\n')).toBe('self.a > 1 && self.b');
    expect(text('self != "a // b" &&\r\n self != r\'\\\' // last')).toBe('self != "a // b" && self != r\'\\\'');
  });

  it('keep line breaks that are part of a string', () => {
    expect(text('self == """a\n  b"""\n|| self == ""')).toBe('self == """a\n  b""" || self == ""');
  });

  it('name fields as CEL writes them', () => {
    const object = s.object({ 'a-b': s.int().optional(), in: s.int().optional() }).atLeastOneOf('a-b', 'in');
    expect(object.node['x-kubernetes-validations']?.[0]?.rule).toContain('[has(self.a__dash__b),has(self.__in__)]');
    // @ts-expect-error no such field
    object.exactlyOneOf('a-b', 'c');
  });
});

describe('types', () => {
  it('of lists with keys check the keys', () => {
    const item = s.object({ name: s.string() });
    expect(s.listMap('name', item).node['x-kubernetes-list-map-keys']).toEqual(['name']);
    expectTypeOf<Infer<ReturnType<typeof s.listMap<typeof item>>>>().toEqualTypeOf<
      readonly { readonly name: string }[]
    >();
    // @ts-expect-error no such field
    s.listMap('nam', item);
  });

  it('of embedded resources are those of their fields', () => {
    const claim = s.embeddedResource(s.object({ spec: s.object({ size: s.quantity() }) }));
    expectTypeOf<Infer<typeof claim>['spec']['size']>().toEqualTypeOf<string | number>();
    expect(claim.node['x-kubernetes-embedded-resource']).toBe(true);
    expect(validateStructural(s.object({ claim }).node)).toEqual([]);
  });
});
