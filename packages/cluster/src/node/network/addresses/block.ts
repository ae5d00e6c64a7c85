import { createServer, type Server } from 'node:net';
import type { Random } from '@coxswain/runtime/core';
import { NetworkError } from '../errors.ts';

/**
 * The part of 127.0.0.0/8, or of another /8 that is all this machine's, that one cluster uses: two neighbouring /16. In the first are nodes
 * (third number 0) and the pods of each node (a /24 each), in the second Services.
 */
export interface AddressBlock {
  /** Such as `127.65.0.0/16`. */
  readonly serviceRange: string;
  /** Address in the range of Services, counted from its first. */
  serviceAddress(offset: number): string;
  /** @param index of the node, 1 to {@link lastNode} */
  nodeAddress(index: number): string;
  /** Prefix of the addresses of a node's pods, such as `127.64.1`. */
  podPrefix(index: number): string;
  /** Whether an address is one that this machine has by itself. */
  has(address: string): boolean;
  /** Whether an address is one that only this cluster gives away: of a node, or of a Service. */
  reserves(address: string): boolean;
  /** Lets other clusters have it. */
  release(): Promise<void>;
}

/** Nodes a block has room for. */
export const lastNode = 253;
const firstNumber = 64;
const blocks = (256 - firstNumber) / 2;
/** Who listens at this port of a block's guard address has the block: the kernel forgets it together with the process. */
const guardPort = 64_127;

/** First number of the addresses that every machine has. */
const loopback = 127;

function blockOf(net: number, first: number, guard: Server): AddressBlock {
  const serviceRange = `${net}.${first + 1}.0.0/16`;
  return {
    serviceRange,
    serviceAddress: (offset) => `${net}.${first + 1}.${offset >> 8}.${offset & 255}`,
    nodeAddress: (index) => `${net}.${first}.0.${index}`,
    podPrefix: (index) => `${net}.${first}.${index}`,
    has: (address) => address.startsWith(`${loopback}.`) || address.startsWith(`${net}.`),
    reserves: (address) => address.startsWith(`${net}.${first + 1}.`) || address.startsWith(`${net}.${first}.0.`),
    release: () => new Promise((resolve) => guard.close(() => resolve())),
  };
}

/** Listens at the guard address of a block; `undefined` when somebody else does. @throws NetworkError */
function guardOf(net: number, first: number): Promise<Server | undefined> {
  const guard = createServer((socket) => socket.destroy());
  const host = `${net}.${first}.0.254`;
  return new Promise((resolve, reject) => {
    guard.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else {
        const why = `pods cannot have addresses in ${net}.0.0.0/8 on this machine (${host}: ${error.message})`;
        reject(new NetworkError(`${why}: process-backed nodes need Linux; use simulated nodes here`, { cause: error }));
      }
    });
    guard.listen({ port: guardPort, host }, () => resolve(guard.unref()));
  });
}

/** The block that a range of Services belongs to. @throws NetworkError */
function firstOf(net: number, serviceRange: string): number {
  const match = /^(\d+)\.(\d+)\.0\.0\/16$/.exec(serviceRange);
  const first = Number(match?.[2] ?? 0) - 1;
  if (Number(match?.[1]) === net && first >= firstNumber && first < 256 && first % 2 === 0) return first;
  throw new NetworkError(
    `the Services of this cluster have addresses of ${serviceRange}, where process-backed nodes cannot lead to them: start with a new data directory, or without process-backed nodes`,
  );
}

/**
 * Takes a block that no other cluster on this machine has.
 * @param stored range of Services of an earlier start, whose block it has to be
 * @param net first number of all its addresses, which the machine must have by itself; default 127
 * @throws NetworkError when there is none, or the one of the earlier start is in use
 */
export async function claimBlock(random: Random, stored?: string, net = loopback): Promise<AddressBlock> {
  if (stored !== undefined) {
    const first = firstOf(net, stored);
    const guard = await guardOf(net, first);
    if (guard) return blockOf(net, first, guard);
    throw new NetworkError(
      `addresses of ${stored} are in use by another cluster on this machine, perhaps one from a copy of this data directory: stop it first`,
    );
  }
  const start = Math.floor(random.next() * blocks);
  for (let i = 0; i < blocks; i++) {
    const first = firstNumber + 2 * ((start + i) % blocks);
    const guard = await guardOf(net, first);
    if (guard) return blockOf(net, first, guard);
  }
  throw new NetworkError(
    `all ${blocks} blocks of addresses in ${net}.0.0.0/8 are in use by other clusters: stop one first`,
  );
}
