import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { serialized } from './output.ts';
import { age, plain, plainLine } from './text.ts';

const evil = 'a\u001b[2Jb\u009b31mc\u0007\u202ed\u0000\u007f\u2028\re\tf';

test('what could steer a terminal is shown, not obeyed', () => {
  expect(plain(evil)).toBe('a\\x1b[2Jb\\x9b31mc\\x07\\u202ed\\x00\\x7f\\u2028 e f');
  expect(plainLine('a\tb\u001b]0;title\u0007')).toBe('a\tb\\x1b]0;title\\x07');
  expect(plain('größe → 测试 ●')).toBe('größe → 测试 ●');
});

test.each(['json', 'yaml'] as const)('%s has it as escapes, and says the same', async (format) => {
  const value = { [`key${evil}`]: evil, list: [{ text: 'größe' }], none: {} };
  const text = await serialized(value, format);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
  expect(format === 'json' ? JSON.parse(text) : parse(text)).toEqual(value);
});

test.each([
  [0, '0s'],
  [999, '0s'],
  [59_000, '59s'],
  [150_000, '2m30s'],
  [3_600_000, '1h'],
  [3_605_000, '1h'],
  [100 * 3_600_000, '4d4h'],
  [-5, '0s'],
])('%d ms are %s', (ms, text) => {
  expect(age(ms)).toBe(text);
});
