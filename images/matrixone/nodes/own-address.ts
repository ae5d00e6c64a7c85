import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';

/**
 * The address to listen on in place of all; `undefined`: all. Pods that share a machine have addresses of its loopback range; who listened on
 * all of them would be in the way of the others. A program that is not told its address has its host's name for that, which leads a machine
 * that is no such pod to the first loopback addresses, or elsewhere.
 */
export async function ownAddress({
  POD_IP,
}: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  if (POD_IP !== undefined) return POD_IP.startsWith('127.') ? POD_IP : undefined;
  const { address } = await lookup(hostname()).catch(() => ({ address: '' }));
  return address.startsWith('127.') && !/^127\.0\.[01]\.1$/.test(address) ? address : undefined;
}
