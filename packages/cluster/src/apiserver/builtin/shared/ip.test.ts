import { expect, test } from 'vitest';
import { addressWarnings, canonicalAddress, isRange, rangeOf, validateStrictRange } from './ip.ts';

test('ranges start where their bits end', () => {
  expect(rangeOf('10.1.2.3/8')).toEqual({ start: 10n << 24n, bits: 8, family: 4, exact: false });
  expect(rangeOf('fd00::/64')).toMatchObject({ bits: 64, family: 6, exact: true });
  for (const text of ['10.0.0.0', '10.0.0.0/33', 'x/8', '10.0.0.0/8/8', 'fd00::/129'])
    expect(isRange(text)).toBe(false);
});

test('a range is written in one way', () => {
  const messages = (text: string) => validateStrictRange(text, 'f').map(({ message }) => message.split(': ')[2]);
  expect(messages('10.0.0.0/8')).toEqual([]);
  expect(messages('10.0.0.1/8')).toEqual(['must not have bits set beyond the prefix length']);
  expect(messages('010.0.0.0/8')).toEqual(['must not have leading 0s in IP or prefix length']);
});

test('addresses of old forms are told of', () => {
  expect(canonicalAddress('FD00:0::1')).toBe('fd00::1');
  expect(addressWarnings('10.0.0.1', 'f')).toEqual([]);
  const text = 'f: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"';
  expect(addressWarnings('010.0.0.1', 'f')).toEqual([text]);
});
