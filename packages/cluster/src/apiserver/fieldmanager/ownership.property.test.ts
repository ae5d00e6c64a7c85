import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { ApiError } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInSchemas, isTree } from '../patch/index.ts';
import { applyPatch } from './apply-patch.ts';
import { difference, pathsOf, union } from './field-set.ts';
import { fieldTypeOf } from './field-type.ts';
import { decodeClaims } from './managers.ts';
import { toFieldSet } from './to-field-set.ts';
import { trackUpdate } from './track-update.ts';

const schema: SchemaNode = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string' }, weight: { type: 'integer' } } },
        },
        names: { type: 'array', items: { type: 'string' } },
        settings: { type: 'object', additionalProperties: { type: 'string' } },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
      },
    },
  },
};
/** Containers are owned for themselves only by whoever made them; they come and go with what they hold. */
const containers = ['.spec', '.spec.tags', '.spec.parts', '.spec.settings'];
const type = fieldTypeOf(schema, builtInSchemas);

const small = fc.integer({ min: 0, max: 2 });
const entry = fc.dictionary(fc.constantFrom('k', 'l', 'm'), fc.constantFrom('1', '2'), { minKeys: 1 });
const spec = fc.record(
  {
    size: small,
    tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    parts: fc.uniqueArray(
      fc.record({ name: fc.constantFrom('x', 'y', 'z'), weight: small }, { requiredKeys: ['name'] }),
      {
        selector: (part) => part.name,
        minLength: 1,
      },
    ),
    names: fc.array(fc.constantFrom('n', 'm'), { minLength: 1, maxLength: 2 }),
    settings: entry,
    whole: entry,
  },
  { requiredKeys: [] },
);
const manager = fc.constantFrom('a', 'b', 'c');
const step = fc.record({ manager, spec, apply: fc.boolean() });

const base = { apiVersion: 'example.com/v1', subresource: '', time: '2026-01-01T00:00:00Z' };
const object = (of: object): MutableJson => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w' },
  spec: of,
});

function apply(live: DynamicObject | undefined, who: string, of: object, time = base.time): DynamicObject {
  const config = object(of);
  return stored(applyPatch(schema, { ...base, time, live, config, manager: who, force: true }));
}

function update(live: DynamicObject | undefined, who: string, of: object): DynamicObject {
  const next = { ...structuredClone(live ?? {}), ...object(of) };
  trackUpdate(schema, { ...base, live, next, manager: who });
  return stored(next);
}

/** What the server would hand back: with a uid, and without nulls where the schema has none. */
function stored(result: MutableJson): DynamicObject {
  const metadata = isTree(result['metadata']) ? { ...result['metadata'], uid: 'u' } : {};
  const text = JSON.stringify({ ...result, metadata }, (_, value) => value ?? undefined);
  return JSON.parse(text) as DynamicObject;
}

function play(steps: readonly { manager: string; spec: object; apply: boolean }[]): DynamicObject | undefined {
  let live: DynamicObject | undefined;
  for (const { manager: who, spec: of, apply: applies } of steps) live = (applies ? apply : update)(live, who, of);
  return live;
}

function ownedPaths(live: DynamicObject): string[] {
  const sets = [...decodeClaims(live.metadata.managedFields).values()].map((claim) => claim.set);
  return [...pathsOf(sets.reduce(union, new Map()))];
}

function presentPaths(live: DynamicObject): string[] {
  return [...pathsOf(toFieldSet(type, { spec: live['spec'] ?? {} }))];
}

describe('ownership', () => {
  it('covers every field that is present, and nothing that is not', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const live = play(steps);
        if (!live) return;
        const owned = new Set(ownedPaths(live));
        const present = presentPaths(live);
        for (const path of present) if (path !== '.spec') expect(owned, path).toContain(path);
        const shown = new Set(present);
        for (const path of owned) if (!containers.includes(path)) expect(shown, path).toContain(path);
      }),
    );
  });

  it('does not change by applying twice', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), manager, spec, (steps, who, of) => {
        const once = apply(play(steps), who, of);
        expect(apply(once, who, of, '2027-01-01T00:00:00Z')).toEqual(once);
      }),
    );
  });

  it('gives back exactly what one manager alone owned when it applies nothing', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), spec, (steps, of) => {
        const before = apply(play(steps), 'mine', of);
        const after = apply(before, 'mine', {});
        const claims = [...decodeClaims(before.metadata.managedFields).values()];
        const mine = claims.filter((claim) => claim.manager === 'mine').map((claim) => claim.set);
        const others = claims.filter((claim) => claim.manager !== 'mine').map((claim) => claim.set);
        const alone = difference(mine.reduce(union, new Map()), others.reduce(union, new Map()));
        const gone = new Set(pathsOf(alone));
        const left = new Set(presentPaths(after));
        for (const path of presentPaths(before)) {
          const parentOwned = [...gone].some((top) => path.startsWith(top));
          if (!parentOwned && path !== '.spec') expect(left, path).toContain(path);
        }
        for (const path of left) if (!containers.includes(path)) expect(presentPaths(before)).toContain(path);
      }),
    );
  });

  it('is never taken over without force', () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = update(undefined, 'owner', first);
        try {
          const config = object(second);
          const result = applyPatch(schema, { ...base, live, config, manager: 'other', force: false });
          const claims = decodeClaims((result as DynamicObject).metadata.managedFields);
          const owner = [...claims.values()].find((claim) => claim.manager === 'owner');
          expect(pathsOf(owner?.set ?? new Map())).toEqual(ownedPaths(live));
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect((error as ApiError).code).toBe(409);
        }
      }),
    );
  });

  it('leaves its inputs alone', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), spec, (steps, of) => {
        const live = play(steps);
        const before = structuredClone(live);
        const config = object(of);
        applyPatch(schema, { ...base, live, config, manager: 'x', force: true });
        expect(live).toEqual(before);
        expect(config).toEqual(object(of));
      }),
    );
  });
});
