import { expect, test } from 'vitest';
import { cloneToml, getPath, mergeDeep, parseToml, renderToml, setPath, TomlSyntaxError } from './index.ts';

const again = (text: string) => renderToml(parseToml(text));

test('integers, floats and dates keep their kind', () => {
  const text = 'a = 1\nb = 1.0\nc = 1979-05-27T07:32:00Z\nd = 1979-05-27\ne = 07:32:00\nf = 1979-05-27T07:32:00\n';
  expect(again(text)).toBe(
    'a = 1\nb = 1.0\nc = 1979-05-27T07:32:00.000Z\nd = 1979-05-27\ne = 07:32:00.000\nf = 1979-05-27T07:32:00.000\n',
  );
  expect(again(again(text))).toBe(again(text));
});

test.each([
  ['1e10', '10000000000.0'],
  ['1e-7', '0.0000001'],
  ['6.02e23', '601999999999999995805696.0'],
  ['-0.5', '-0.5'],
  ['3.14159', '3.14159'],
  ['0.1', '0.1'],
  ['1.5e-10', '0.00000000015'],
  ['0.10000000149011612', '0.1'],
  ['-0.0', '-0.0'],
  ['inf', '+inf'],
  ['-inf', '-inf'],
  ['nan', 'nan'],
])('float %s is printed as %s', (given, printed) => {
  expect(again(`x = ${given}`)).toBe(`x = ${printed}\n`);
});

test('scalars before tables, keys by bytes, every header after an empty line [case 7]', () => {
  expect(again('z = 1\n[b.c]\nx = 1\n[A]\n[[l]]\nn = "1"\n[l.sub]\n[[l]]\n')).toBe(
    'z = 1\n\n[A]\n\n[b]\n\n[b.c]\nx = 1\n\n[[l]]\nn = "1"\n\n[l.sub]\n\n[[l]]\n',
  );
  expect(again('[a]\n')).toBe('\n[a]\n');
  expect(again('')).toBe('');
});

test('keys and strings are quoted and escaped where they must be', () => {
  expect(again('"a.b" = "x\\u0001\\u001f\\u007f\\ty"\n"" = 1\n"q\\"k" = 2')).toBe(
    '"" = 1\n"a.b" = "x\\u0001\\u001F\\u007F\\ty"\n"q\\"k" = 2\n',
  );
});

test('inline tables become tables; tables in mixed lists stay inline', () => {
  expect(again('i = { z = 1, a = "b" }\nm = [1, { b = 2 }]\ne = []\nn = [[1, 2], [3]]')).toBe(
    'e = []\nm = [1, { b = 2 }]\nn = [[1, 2], [3]]\n\n[i]\na = "b"\nz = 1\n',
  );
});

test('a syntax error names line and column and does not repeat the text', () => {
  const attempt = () => parseToml('a = 1\npassword = sesame\n');
  expect(attempt).toThrow(TomlSyntaxError);
  expect(attempt).toThrow(/^line 2, column \d+: /);
  expect(attempt).not.toThrow(/sesame/);
});

test('what the parser takes and nobody can work with is told: tables without an end, integers that are none', () => {
  const nested = (depth: number) => `${'a.'.repeat(depth - 1)}a = 1`;
  expect(renderToml(parseToml(nested(100)))).toContain('a = 1');
  for (const depth of [101, 20_000])
    expect(() => parseToml(nested(depth))).toThrow(/^a\.a\.a…: is nested more than 100 deep$/);
  expect(() => parseToml(`x = ${'['.repeat(200)}${']'.repeat(200)}`)).toThrow(TomlSyntaxError);
  expect(again('x = 18446744073709551615\ny = -9223372036854775808\n')).toContain('x = 18446744073709551615');
  expect(() => parseToml('[[l]]\nx = 18446744073709551616')).toThrow('l[0].x: an integer has 64 bits');
});

test('paths make tables and replace what is not one [case 7]', () => {
  const table = parseToml('a = 1\n[b]\nc = 2');
  setPath(table, ['b', 'd', 'e'], true);
  setPath(table, ['a', 'x'], 'y');
  expect(getPath(table, ['b', 'd', 'e'])).toBe(true);
  expect(getPath(table, ['b', 'c', 'none'])).toBeUndefined();
  expect(renderToml(table)).toBe('\n[a]\nx = "y"\n\n[b]\nc = 2\n\n[b.d]\ne = true\n');
});

test('a clone shares nothing [case 7]', () => {
  const table = parseToml('[[l]]\nn = 1');
  const copy = cloneToml(table);
  setPath(copy, ['l'], []);
  expect(renderToml(table)).toBe('\n[[l]]\nn = 1\n');
});

test('merging: the operator wins, by name in lists, and its cache table replaces the user’s [case 7]', () => {
  const user = parseToml(
    '[[fs]]\nname = "S3"\nbackend = "DISK"\nmine = 1\n[fs.s3]\nbucket = "evil"\nmode = "1"\n[fs.cache]\nextra = true\n[[fs]]\nname = "EXTRA"\n[[fs]]\nnote = "no name"\n',
  );
  const operator = parseToml(
    '[[fs]]\nname = "LOCAL"\n[[fs]]\nname = "S3"\nbackend = "S3"\n[fs.s3]\nbucket = "ours"\n[fs.cache]\nsize = "1B"\n',
  );
  expect(renderToml(mergeDeep(user, operator))).toBe(
    '\n[[fs]]\nname = "LOCAL"\n\n[[fs]]\nbackend = "S3"\nmine = 1\nname = "S3"\n\n[fs.cache]\nsize = "1B"\n\n[fs.s3]\nbucket = "ours"\nmode = "1"\n\n[[fs]]\nname = "EXTRA"\n\n[[fs]]\nnote = "no name"\n',
  );
  expect(mergeDeep({}, operator)).toEqual(operator);
});

test('merging replaces a list that begins without a name, and takes the last of several entries of a name [case 7]', () => {
  const operator = parseToml('[[fs]]\nname = "S3"\nbackend = "S3"\n');
  const merged = (user: string) => renderToml(mergeDeep(parseToml(user), operator));
  const ours = '\n[[fs]]\nbackend = "S3"\nname = "S3"\n';
  for (const user of [
    '[[fs]]\nq = 1\n[[fs]]\nname = "S3"\nmine = 1\n',
    'fs = []\n',
    '[fs]\na = 1\n',
    'fs = ["S3"]\n',
  ]) {
    expect(merged(user)).toBe(ours);
  }
  expect(merged('[[fs]]\nname = "S3"\na = 1\n[[fs]]\nname = "S3"\nb = 2\n')).toBe(
    '\n[[fs]]\nb = 2\nbackend = "S3"\nname = "S3"\n\n[[fs]]\na = 1\nname = "S3"\n',
  );
});

test('merging leaves lists that are not of named tables to the operator [case 7]', () => {
  expect(mergeDeep({ a: [1n, 2n], b: 'x' }, { a: [3n] })).toEqual({ a: [3n], b: 'x' });
});
