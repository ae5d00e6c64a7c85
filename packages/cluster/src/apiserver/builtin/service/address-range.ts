import type { Storage } from '../../../storage/types.ts';
import { listAt, objectAt, type ReadJson } from '../shared/draft.ts';

/** The addresses of one IPv4 subnet, counted from its first. */
export interface AddressRange {
  /** Such as `10.96.0.0/16`. */
  readonly text: string;
  /** How many addresses, the first and the last that nobody gets included. */
  readonly size: number;
  /** The lower addresses are left to those who choose their own. */
  readonly firstDynamic: number;
  addressAt(offset: number): string;
  /** `undefined` when it is outside (or no IPv4 address). */
  offsetOf(address: string): number | undefined;
}

export const defaultServiceRange = '10.96.0.0/16';

function numberOf(address: string): number | undefined {
  const parts = address.split('.');
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)) return undefined;
  return parts.reduce((value, part) => value * 256 + Number(part), 0);
}

/** @throws Error when it is no IPv4 subnet of 16 addresses or more */
export function addressRange(text: string): AddressRange {
  const [first = '', bits = ''] = text.split('/');
  const base = numberOf(first);
  const size = 2 ** (32 - Number(bits));
  if (base === undefined || !/^\d+$/.test(bits) || size < 16 || base % size !== 0) {
    throw new Error(
      `${text} is no range of addresses for Services: give an IPv4 subnet such as ${defaultServiceRange}`,
    );
  }
  return {
    text,
    size,
    // As the real one divides its ranges: a sixteenth, 256 at most.
    firstDynamic: Math.min(Math.max(16, size / 16), 256),
    addressAt: (offset) => [24, 16, 8, 0].map((shift) => ((base + offset) >>> shift) & 255).join('.'),
    offsetOf(address) {
      const offset = (numberOf(address) ?? -1) - base;
      return offset >= 0 && offset < size ? offset : undefined;
    },
  };
}

/** What the ServiceCIDR `kubernetes` says, when there is one. */
export function storedServiceRange(storage: Storage): string | undefined {
  const key = { resource: 'networking.k8s.io/servicecidrs', namespace: '', name: 'kubernetes' };
  const object = storage.get(key) as ReadJson | undefined;
  const cidr = listAt(objectAt(object, 'spec'), 'cidrs')[0];
  return cidr === undefined ? undefined : String(cidr);
}

/** Where a cluster's Services get their addresses from: what its ServiceCIDR says, else 10.96.0.0/16. */
export function serviceRangeOf(storage: Storage): AddressRange {
  return addressRange(storedServiceRange(storage) ?? defaultServiceRange);
}
