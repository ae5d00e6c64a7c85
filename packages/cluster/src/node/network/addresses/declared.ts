import { isIPv4 } from 'node:net';
import type { Pod } from '@coxswain/k8s';

const own = 'coxswain.io/pod-ip';
const calico = 'cni.projectcalico.org/ipAddrs';

/**
 * The address that a pod's annotations ask for.
 * @throws Error that says what is wrong with them
 */
export function declaredAddress({ metadata }: Pod): string | undefined {
  const plain = metadata.annotations?.[own];
  const list = metadata.annotations?.[calico];
  if (plain !== undefined) return checked(plain, own);
  if (list === undefined) return undefined;
  const many = listOf(list);
  const [first] = many;
  if (many.length !== 1 || typeof first !== 'string') {
    throw new Error(`annotation ${calico} must be a list of one IPv4 address, such as ["192.168.1.10"]; it is ${list}`);
  }
  return checked(first, calico);
}

function listOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function checked(address: string, annotation: string): string {
  if (isIPv4(address)) return address;
  throw new Error(`annotation ${annotation} asks for ${JSON.stringify(address)}, which is no IPv4 address`);
}
