import { describe, expect, it, test } from 'vitest';
import { fieldSelectorFrom, formatFieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';
import { parseSelector } from './parse-selector.ts';
import {
  formatSelector,
  matchesLabels,
  nothing,
  SelectorError,
  selectorFromField,
  selectorFromLabels,
} from './selector.ts';

test.each([
  ['', ''],
  ['a=b,c!=d,e in (y,x),f notin (z),g,!h', 'a=b,c!=d,e in (x,y),f!=z,g,!h'],
  [' a == b , c ', 'a=b,c'],
  ['a=', 'a='],
  ['a,b=', 'a,b='],
  ['a in ()', 'a='],
  ['a in (,x)', 'a in (,x)'],
  ['n>5,m<3', 'm<3,n>5'],
  ['in in (in)', 'in=in'],
  ['x.dev/app=a_b.c', 'x.dev/app=a_b.c'],
])('"%s" is read as "%s"', (text, canonical) => {
  expect(formatSelector(parseSelector(text))).toBe(canonical);
});

test.each([
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['=a', "found '=', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['a in x', "unable to parse requirement: found 'x' expected: '('"],
  ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['n>x', "for 'Gt', 'Lt' operators, the value must be an integer"],
  [
    '-a=b',
    'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters',
  ],
  ['a=-b', 'a valid label must be an empty string or consist of'],
  [`${'a'.repeat(64)}=b`, 'name part must be no more than 63 bytes'],
])('"%s" is refused: %s', (text, message) => {
  expect(() => parseSelector(text)).toThrow(message);
});

test.each([
  ['a=1', { a: '1' }, true],
  ['a=1', {}, false],
  ['a!=1', {}, true],
  ['a notin (1,2)', { a: '2' }, false],
  ['a in (1,2)', { a: '2' }, true],
  ['a', { a: '' }, true],
  ['a=', { a: '' }, true],
  ['!a', { a: '' }, false],
  ['n>5', { n: '6' }, true],
  ['n>5', { n: '5' }, false],
  ['n<5', { n: 'x' }, false],
  ['constructor', {}, false],
] as const)('%s on %o: %s', (text, labels, expected) => {
  expect(matchesLabels(parseSelector(text), labels)).toBe(expected);
});

test('LabelSelector fields: absent matches nothing, empty everything', () => {
  expect(selectorFromField(undefined)).toBe(nothing);
  expect(matchesLabels(nothing, { a: '1' })).toBe(false);
  expect(matchesLabels(selectorFromField({}), undefined)).toBe(true);
  const selector = selectorFromField({
    matchLabels: { a: '1' },
    matchExpressions: [
      { key: 'b', operator: 'In', values: ['x', 'y'] },
      { key: 'c', operator: 'DoesNotExist' },
    ],
  });
  expect(formatSelector(selector)).toBe('a=1,b in (x,y),!c');
  expect(() => selectorFromField({ matchExpressions: [{ key: 'a', operator: 'Like' }] })).toThrow(
    '"Like" is not a valid label selector operator',
  );
  expect(() => selectorFromField({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] })).toThrow(
    "values set can't be empty",
  );
  expect(() => selectorFromLabels({ a: 'b c' })).toThrow('a valid label must be');
});

test('field selectors', () => {
  const selector = parseFieldSelector('metadata.name=a\\,b,status.phase!=Running,spec.x==\\=');
  expect(selector).toEqual([
    { field: 'metadata.name', equal: true, value: 'a,b' },
    { field: 'status.phase', equal: false, value: 'Running' },
    { field: 'spec.x', equal: true, value: '=' },
  ]);
  expect(parseFieldSelector(formatFieldSelector(selector))).toEqual(selector);
  expect(formatFieldSelector(fieldSelectorFrom({ 'spec.nodeName': 'n1' }))).toBe('spec.nodeName=n1');
  const fields: Record<string, string> = { 'metadata.name': 'a,b', 'spec.x': '=' };
  expect(matchesFields(selector, (field) => fields[field] ?? '')).toBe(true);
  expect(matchesFields(parseFieldSelector('status.phase='), () => '')).toBe(true);
  expect(() => parseFieldSelector('metadata.name')).toThrow(
    "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  );
  expect(() => parseFieldSelector('a=b=c')).toThrow('unescaped character in value: 61');
  expect(() => parseFieldSelector('a=\\b')).toThrow('invalid escape sequence: \\b');
});

describe('selectors that are not what they seem', () => {
  it.each([{ app: undefined }, { replicas: 3 }, { matchLabels: { app: 'web' } }])('refuses %j as pairs', (labels) => {
    expect(() => selectorFromLabels(labels as never)).toThrow(SelectorError);
  });

  it('refuses a field of a label selector that does not exist, instead of selecting everything', () => {
    expect(() => selectorFromField({ matchLabel: { app: 'web' } } as never)).toThrow('unknown field "matchLabel"');
  });

  it.each([
    { '.spec.image': 'a' },
    { '': 'a' },
    { 'spec..a': 'a' },
    { 'a=b': 'a' },
    { 'spec.a': 1 },
    { matchFields: [] },
  ])('refuses %j as fields', (fields) => {
    expect(() => fieldSelectorFrom(fields as never)).toThrow(SelectorError);
  });

  it('takes fields as kinds have them', () => {
    expect(fieldSelectorFrom({ 'metadata.name': 'a', reason: '', 'spec.nodeName': 'n-1' })).toHaveLength(3);
  });
});
