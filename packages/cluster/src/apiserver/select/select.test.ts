import { describe, expect, it } from 'vitest';
import { configMap, testResources } from '../rest/test-api.ts';
import { fieldMatcher } from './fields.ts';
import { labelMatcher, selectorText } from './labels.ts';

const [configMaps] = testResources;
const object = { ...configMap('a'), metadata: { name: 'a', namespace: 'n' } };

describe('labelMatcher', () => {
  it.each([
    ['app=web', true],
    ['app==web,tier', true],
    ['app!=web', false],
    ['none!=web', true],
    ['app in (web, db),tier notin (x)', true],
    ['!none,count>4', true],
    ['count<5', false],
    ['empty=', true],
  ])('%s: %s', (text, matches) => {
    expect(labelMatcher(text)?.({ app: 'web', tier: 'a', count: '5', empty: '' })).toBe(matches);
  });

  it('selects everything when empty, nothing special without labels', () => {
    expect(labelMatcher('')).toBeUndefined();
    expect(labelMatcher('a=b')?.(undefined)).toBe(false);
    expect(labelMatcher('constructor')?.({})).toBe(false);
  });
});

describe('selectorText', () => {
  it('writes selectors of all three shapes', () => {
    expect(selectorText('a=b')).toBe('a=b');
    expect(selectorText({ b: '2', a: '1' })).toBe('a=1,b=2');
    const matchExpressions = [
      { key: 'x', operator: 'In', values: ['2', '1'] },
      { key: 'y', operator: 'DoesNotExist' },
    ];
    expect(selectorText({ matchLabels: { app: 'web' }, matchExpressions })).toBe('app=web,x in (1,2),!y');
    expect(selectorText(undefined)).toBe('');
  });
});

describe('fieldMatcher', () => {
  it('matches names and namespaces, and tells which single one can match', () => {
    if (!configMaps) throw new Error('no test resources');
    const selector = fieldMatcher(configMaps, 'metadata.name=a,metadata.namespace!=x');
    expect(selector).toMatchObject({ name: 'a' });
    expect(selector).not.toHaveProperty('namespace');
    expect(selector?.matches(object)).toBe(true);
    expect(fieldMatcher(configMaps, 'metadata.namespace=x')?.matches(object)).toBe(false);
    expect(fieldMatcher(configMaps, '')).toBeUndefined();
    expect(() => fieldMatcher(configMaps, 'data.a=b')).toThrow('"data.a" is not a known field selector');
    expect(() => fieldMatcher(configMaps, 'constructor=b')).toThrow('is not a known field selector');
  });
});
