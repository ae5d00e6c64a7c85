import type { Pod } from '@coxswain/k8s';
import { RuntimeRefusal } from '../../runtime.ts';
import type { NodePlaces } from '../node-places.ts';
import type { AddressBlock } from './block.ts';
import { declaredAddress } from './declared.ts';
import type { PodAddresses } from './pod-addresses.ts';

export interface Assignment {
  readonly address: string;
  /** Whether it is an address that this machine does not have by itself, and so one in a namespace. */
  readonly outside: boolean;
  /** Gives it back. */
  release(): void;
}

const refusal = (message: string) => new RuntimeRefusal('FailedCreatePodSandBox', message);

/** Of 224.0.0.0 and above, 0.0.0.0/8, and the link's own. */
const nobodys = /^(0|22[4-9]|2[3-5]\d)\.|^169\.254\./;

/** @throws RuntimeRefusal */
function declaredBy(pod: Pod, block: AddressBlock): string | undefined {
  let address: string | undefined;
  try {
    address = declaredAddress(pod);
  } catch (error) {
    throw refusal(error instanceof Error ? error.message : String(error));
  }
  if (address === undefined) return undefined;
  if (address === '127.0.0.1' || nobodys.test(address) || block.reserves(address)) {
    throw refusal(`address ${address}, which the pod declares, is not one for pods: declare another`);
  }
  return address;
}

/**
 * Chooses the address of a pod.
 * @throws RuntimeRefusal when it declares one that cannot be had, or there is none
 */
export function assignAddress(
  pod: Pod,
  parts: { readonly block: AddressBlock; readonly places: NodePlaces; readonly addresses: PodAddresses },
): Assignment {
  const { block, places, addresses } = parts;
  const owner = pod.metadata.uid ?? '';
  const node = pod.spec?.nodeName ?? '';
  const taken = (address: string): Assignment => ({
    address,
    outside: !block.has(address),
    release: () => addresses.release(address, owner),
  });
  if (pod.spec?.hostNetwork) {
    return { address: places.addresses.get(node) ?? places.join(node).address, outside: false, release: () => {} };
  }
  const declared = declaredBy(pod, block);
  if (declared !== undefined) {
    if (addresses.claim(declared, owner)) return taken(declared);
    throw refusal(
      `address ${declared}, which the pod declares, is in use by another pod: remove that pod, or declare another address`,
    );
  }
  const prefix = places.podPrefix(node);
  if (prefix === undefined) throw refusal(`node ${node} has no addresses for pods: it has not joined the network`);
  const before = pod.status?.podIP;
  if (before?.startsWith(`${prefix}.`) && addresses.claim(before, owner)) return taken(before);
  if (before !== undefined) addresses.release(before, owner);
  const address = addresses.take(prefix, owner);
  if (address === undefined) throw refusal(`no free address in ${prefix}.0/24: delete pods of node ${node} first`);
  return taken(address);
}
