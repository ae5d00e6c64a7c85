import { messageOf } from '@coxswain/runtime/core';
import { CallError, type CallOptions, type MorpcClient } from '../morpc/index.ts';
import { askLogService } from './ask.ts';
import { NoHaKeeperError } from './errors.ts';

/** Whom to ask, and how. */
export interface Search {
  readonly client: MorpcClient;
  /** Log stores, or Services in front of them. */
  readonly addresses: readonly string[];
  /** An address that just failed: it is asked last. */
  readonly last?: string | undefined;
  /** Milliseconds one question may take. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/**
 * The address of a log store that runs HAKeeper: every replica serves, but its leader with one step less, so it is asked first.
 * Each address is asked who the replicas are until one of them answers that it is a replica. Whoever cannot be reached by the name it goes by,
 * as from outside its Kubernetes, may still be reached by an address that was given.
 * @throws NoHaKeeperError; the signal's reason when it is aborted
 */
export async function findHaKeeper(search: Search): Promise<string> {
  const { addresses, last } = search;
  const seen: Seen = { why: new Map(), checked: new Set() };
  const given = [...new Set(addresses)].sort((a, b) => Number(a === last) - Number(b === last));
  for (const address of given) {
    const found = await firstReplica(search, await replicasKnownTo(search, address, seen), seen);
    if (found !== undefined) return found;
  }
  const found = await firstReplica(search, given, seen);
  if (found !== undefined) return found;
  throw new NoHaKeeperError(seen.why);
}

/** What a search has found out. */
interface Seen {
  /** Why an address led nowhere. */
  readonly why: Map<string, string>;
  /** Who was asked whether it is a replica. */
  readonly checked: Set<string>;
}

const optionsOf = ({ timeout, signal }: Search): CallOptions => ({ timeout, signal });

/** Notes why an address led nowhere, unless the search itself is over. */
function note(search: Search, seen: Seen, address: string, error: unknown): void {
  search.signal.throwIfAborted();
  if (error instanceof CallError && error.failure === 'closed') throw error;
  seen.why.set(address, messageOf(error));
}

/** Addresses of HAKeeper's replicas, the leader first, the one that just failed last. */
async function replicasKnownTo(search: Search, address: string, seen: Seen): Promise<string[]> {
  try {
    const request = { logRequest: { shardId: 0n } };
    const { shardInfo } = await askLogService(search.client, address, 'GET_SHARD_INFO', request, optionsOf(search));
    const rank = ([id, { serviceAddress }]: readonly [bigint, { readonly serviceAddress: string }]) =>
      serviceAddress === search.last ? 2 : Number(id !== shardInfo?.leaderId);
    return [...(shardInfo?.replicas ?? [])]
      .sort((a, b) => rank(a) - rank(b))
      .map(([, { serviceAddress }]) => serviceAddress)
      .filter((known) => known !== '');
  } catch (error) {
    note(search, seen, address, error);
    return [];
  }
}

async function firstReplica(search: Search, addresses: readonly string[], seen: Seen): Promise<string | undefined> {
  for (const address of addresses) {
    if (seen.checked.has(address)) continue;
    seen.checked.add(address);
    try {
      const answer = await askLogService(search.client, address, 'CHECK_HAKEEPER', {}, optionsOf(search));
      if (answer.isHaKeeper) return address;
      seen.why.set(address, `${address} runs no replica of it`);
    } catch (error) {
      note(search, seen, address, error);
    }
  }
  return undefined;
}
