import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { parseJson, stringifyJson } from './parse-json.ts';

test('integers beyond 2^53 are kept to the digit, and written back as they were', () => {
  const text =
    '{"a":9007199254740993,"b":[-9223372036854775808],"c":9007199254740991,"d":"1234567890123456789","e":1.5}';
  const value = parseJson(text);
  expect(value).toEqual({
    a: 9007199254740993n,
    b: [-9223372036854775808n],
    c: 9007199254740991,
    d: '1234567890123456789',
    e: 1.5,
  });
  expect(stringifyJson(value)).toBe(text);
});

test('a parser that does not say what a value was made of, as that of Node 20, is no obstacle', async () => {
  const { parse } = JSON;
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) =>
    parse(text, reviver && ((key, value) => (reviver as (key: string, value: unknown) => unknown)(key, value))),
  );
  vi.resetModules();
  const old = await import('./parse-json.ts');
  expect(old.parseJson('{"id":"x9221658115624990","n":9007199254740991}')).toEqual({
    id: 'x9221658115624990',
    n: 9007199254740991,
  });
  vi.restoreAllMocks();
});

test('all else is as JSON.parse has it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const unsafe = /(^|[^\d.eE-])-?\d{16,}($|[^\d.eE])/.test(text);
      fc.pre(!unsafe);
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
    { seed: 1 },
  );
});

test('a long integer is found wherever it stands', () => {
  for (let pad = 0; pad < 40; pad++) {
    const text = `{"${'p'.repeat(pad)}":1234567890123456789}`;
    expect(Object.values(parseJson(text) as object)).toEqual([1234567890123456789n]);
  }
});
