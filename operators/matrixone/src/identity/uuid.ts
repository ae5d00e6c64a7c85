import { createHash } from 'node:crypto';

function ordinalUuid(role: '0' | '1', ordinal: number): string {
  return `00000000-0000-0000-0000-${role}${ordinal.toString(16).padStart(11, '0')}`;
}

/** UUID of a log store. */
export function logStoreUuid(ordinal: number): string {
  return ordinalUuid('0', ordinal);
}

/** UUID of a transaction node. */
export function tnStoreUuid(ordinal: number): string {
  return ordinalUuid('1', ordinal);
}

/**
 * UUID of a store that goes by its DNS name: what `sha256sum | od -x` makes of the name and a newline
 * (`spec/matrixone.md` §2.9). The start scripts compute the same in the pod.
 */
export function dnsStoreUuid(dnsName: string): string {
  const digest = createHash('sha256').update(`${dnsName}\n`).digest('hex').slice(0, 16);
  const words = digest.match(/../g) ?? [];
  // Little-endian 16-bit words of the ASCII digits: the second character of each pair comes first.
  const hex = words.map((pair) => pair.charCodeAt(1).toString(16) + pair.charCodeAt(0).toString(16));
  const [a, b, c, d, e, f, g, h] = hex;
  return `${a}${b}-${c}-${d}-${e}-${f}${g}${h}`;
}

/** UUID of a compute node: its name in the headless service. */
export function cnStoreUuid(pod: string, headlessService: string, namespace: string): string {
  return dnsStoreUuid(`${pod}.${headlessService}.${namespace}.svc`);
}

/** UUID of a proxy, which has no headless service. */
export function proxyStoreUuid(pod: string, namespace: string): string {
  return dnsStoreUuid(`${pod}.${namespace}.svc`);
}
