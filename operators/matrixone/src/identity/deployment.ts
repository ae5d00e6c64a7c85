import { xxHash64 } from './xxhash64.ts';

/**
 * The gossip deployment id of a log service, from its name alone. Two LogSets of the same name in two namespaces share
 * it; live clusters depend on the value, so it stays.
 */
export function deploymentId(logSetName: string): bigint {
  return xxHash64(logSetName) >> 1n;
}
