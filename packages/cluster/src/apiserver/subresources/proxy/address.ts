import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
const special = new BlockList();
special.addSubnet('169.254.0.0', 16);
special.addSubnet('224.0.0.0', 4);
special.addAddress('0.0.0.0');
special.addAddress('255.255.255.255');
special.addAddress('::', 'ipv6');
special.addAddress('::1', 'ipv6');
special.addSubnet('fe80::', 10, 'ipv6');
special.addSubnet('ff00::', 8, 'ipv6');

/**
 * Whether a text is an address that may be proxied to: neither of the machine itself nor of its link, nor of many.
 * @param loopbackPods whether pods and nodes live in 127.0.0.0/8
 */
export function isProxied(address: string, loopbackPods: boolean): boolean {
  const family = isIP(address);
  if (family === 0 || special.check(address, family === 6 ? 'ipv6' : 'ipv4')) return false;
  return loopbackPods || !loopback.check(address);
}
