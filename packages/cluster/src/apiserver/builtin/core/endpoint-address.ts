import type { FieldError } from '@coxswain/schema';
import { invalidValue } from '../shared/errors.ts';
import { addressFamily, addressNumber, badAddressText } from '../shared/ip.ts';

/** An address as it has to be written today. */
export function validateStrictAddress(text: string, field: string): readonly FieldError[] {
  if (addressFamily(text) === 0) return [invalidValue(field, text, badAddressText)];
  return /(^|\.)0\d/.test(text) && !text.includes(':') ? [invalidValue(field, text, 'must not have leading 0s')] : [];
}

/** How the addresses of endpoints are judged. */
export interface EndpointAddressRules {
  /** Whether pods may live in the loopback range, as those of process-backed nodes do. The real server refuses such addresses. Default false. */
  readonly loopbackPods?: boolean;
}

interface Place {
  readonly text: string;
  readonly v4: (value: bigint) => boolean;
  readonly v6: (value: bigint) => boolean;
}

const starts = (value: bigint, prefix: bigint, free: bigint): boolean => value >> free === prefix;

/** Addresses nobody can be reached at. */
const loopback: Place = {
  text: 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  v4: (value) => starts(value, 127n, 24n),
  v6: (value) => value === 1n,
};
const places: readonly Place[] = [
  loopback,
  {
    text: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    v4: (value) => starts(value, 0xa9fen, 16n),
    v6: (value) => starts(value, 0x3fan, 118n),
  },
  {
    text: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    v4: (value) => starts(value, 0xe00000n, 8n),
    v6: (value) => (value >> 112n) % 16n === 2n && starts(value, 0xffn, 120n),
  },
];

/** What the address of an endpoint may not be. */
export function validateEndpointAddress(
  text: string,
  field: string,
  { loopbackPods = false }: EndpointAddressRules = {},
): readonly FieldError[] {
  const family = addressFamily(text);
  if (family === 0) return [invalidValue(field, text, 'must be a valid IP address')];
  const value = addressNumber(text);
  const errors = value === 0n ? [invalidValue(field, text, `may not be unspecified (${text})`)] : [];
  const found = places.filter(
    (place) => (family === 4 ? place.v4(value) : place.v6(value)) && !(loopbackPods && place === loopback),
  );
  return [...errors, ...found.map((place) => invalidValue(field, text, place.text))];
}
