import { isIPv4 } from 'node:net';
import { NetworkError } from '../errors.ts';

/** A range of addresses for pods, of which each node has a /24. */
export interface PodRange {
  /** First three numbers of the addresses of a node's pods, such as `10.244.0`; `undefined` when there are not so many. @param index of the node, from 1 */
  podPrefix(index: number): string | undefined;
}

/** The machine's own, many's, nobody's, and those that the pods' network itself has. */
const taken: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
];

const numberOf = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const sizeOf = (bits: number) => 2 ** (32 - bits);

/** @param cidr such as `10.244.0.0/16` @throws NetworkError that says what is wrong with it */
export function parsePodRange(cidr: string): PodRange {
  const [address = '', length = ''] = cidr.split('/');
  const bits = Number(length);
  const refuse = (why: string) => new NetworkError(`pods cannot have addresses of ${JSON.stringify(cidr)}: ${why}`);
  if (!isIPv4(address) || !/^\d+$/.test(length) || bits > 24 || bits < 8)
    throw refuse('it must be an IPv4 network of at least a /24 and at most a /8, such as 10.244.0.0/16');
  const first = numberOf(address);
  if (first % sizeOf(bits) !== 0) throw refuse('the part of the address that the mask leaves to pods is not 0');
  for (const [other, otherBits] of taken) {
    const size = Math.max(sizeOf(bits), sizeOf(otherBits));
    if (Math.floor(first / size) === Math.floor(numberOf(other) / size))
      throw refuse(`${other}/${otherBits} is not for pods; take a private network, such as 10.244.0.0/16`);
  }
  return {
    podPrefix(index) {
      const start = first + (index - 1) * 256;
      if (index < 1 || start >= first + sizeOf(bits)) return undefined;
      return [start / 2 ** 24, start / 2 ** 16, start / 2 ** 8].map((part) => Math.floor(part) % 256).join('.');
    },
  };
}
