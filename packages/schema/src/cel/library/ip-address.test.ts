import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatAddress, isMapped, maskAddress, parseAddress } from './ip-address.ts';

const printed = (text: string) => {
  const parsed = parseAddress(text);
  return 'error' in parsed ? parsed.error : formatAddress(parsed.bytes);
};

it.each([
  ['1.2.3.4', '1.2.3.4'],
  ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::', '::'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
  ['::ffff:1.2.3.4', '::ffff:102:304'],
  ['1.2.3', 'ParseAddr("1.2.3"): IPv4 address too short'],
  ['1.2.3.256', 'ParseAddr("1.2.3.256"): IPv4 field has value >255'],
  ['01.2.3.4', 'ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero'],
  ['x', 'ParseAddr("x"): unable to parse IP'],
])('%s is %s', (text, expected) => {
  expect(printed(text)).toBe(expected);
});

it('agrees with the platform on what an address is', () => {
  const part = fc.constantFrom(...'0 1 a ff 255 256 ffff 12345 : :: . 1.2.3.4 %1'.split(' '));
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      (text) => {
        // Go takes everything after the first % for the zone, Node does not
        fc.pre(text.indexOf('%') === text.lastIndexOf('%'));
        const parsed = parseAddress(text);
        const isAddress = isIPv4(text) || isIPv6(text);
        expect('bytes' in parsed).toBe(isAddress);
      },
    ),
  );
});

it('masks and recognises mapped addresses', () => {
  expect(maskAddress([10, 1, 2, 3], 12)).toEqual([10, 0, 0, 0]);
  expect(maskAddress([10, 255, 2, 3], 12)).toEqual([10, 240, 0, 0]);
  const mapped = parseAddress('::ffff:1.2.3.4');
  expect('bytes' in mapped && isMapped(mapped.bytes)).toBe(true);
});
