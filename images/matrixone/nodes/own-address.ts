import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { hostname, networkInterfaces } from 'node:os';

/**
 * The address to listen on in place of all; `undefined`: all. Pods that share the network of a machine have addresses of which none is that
 * of an interface (of the loopback range, say); who listened on all of them would be in the way of the others. A program that is not told its
 * address has its host's name for that, which leads a machine that is no such pod to the first loopback addresses, or elsewhere.
 */
export async function ownAddress({
  POD_IP,
}: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const address = POD_IP ?? (await lookup(hostname()).catch(() => ({ address: '' }))).address;
  const isInterface = Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));
  if (address === '' || isInterface || /^127\.0\.[01]\.1$/.test(address)) return undefined;
  return (await isHere(address)) ? address : undefined;
}

/** Whether this machine has an address. */
function isHere(address: string): Promise<boolean> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind(0, address, () => {
      socket.close();
      resolve(true);
    });
  });
}
