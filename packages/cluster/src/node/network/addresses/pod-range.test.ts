import { expect, test } from 'vitest';
import { parsePodRange } from './pod-range.ts';

test('each node has a /24, from the first on, as far as they go', () => {
  const range = parsePodRange('10.244.0.0/16');
  expect([1, 2, 256, 257].map((index) => range.podPrefix(index))).toEqual([
    '10.244.0',
    '10.244.1',
    '10.244.255',
    undefined,
  ]);
  expect(parsePodRange('192.168.254.0/23').podPrefix(2)).toBe('192.168.255');
  expect(parsePodRange('10.0.0.0/8').podPrefix(300)).toBe('10.1.43');
});

test.each([
  ['10.244.0.0', 'an IPv4 network'],
  ['10.244.0.0/x', 'an IPv4 network'],
  ['10.244.0.0/25', 'at least a /24'],
  ['fd00::/64', 'an IPv4 network'],
  ['10.244.1.0/16', 'is not 0'],
  ['127.64.0.0/16', '127.0.0.0/8 is not for pods'],
  ['169.254.1.0/24', '169.254.0.0/16 is not for pods'],
  ['240.0.0.0/8', '224.0.0.0/3 is not for pods'],
  ['0.0.0.0/8', '0.0.0.0/8 is not for pods'],
  ['169.0.0.0/8', '169.254.0.0/16 is not for pods'],
])('%s is refused in words', (cidr, why) => {
  expect(() => parsePodRange(cidr)).toThrow(why);
});
