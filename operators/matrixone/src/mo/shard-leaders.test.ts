import { expect, test } from 'vitest';
import { logService } from './index.ts';
import { shardLeaders } from './shard-leaders.ts';

interface Said {
  readonly shardId: bigint;
  readonly leaderId: bigint;
  readonly term: bigint;
}

/** Leaders of three stores, of which each has a replica of each shard it speaks of; over the wire, as they come. */
function leaders(...said: readonly (readonly Said[])[]) {
  const members = new Map([1n, 2n, 3n].map((id) => [id, `log-${id}`]));
  const logStores = said.map((shards, at) => ({
    uuid: `log-${at + 1}`,
    replicas: shards.map((shard) => ({ shard: { ...shard, replicas: members }, replicaId: BigInt(at + 1) })),
  }));
  const answer = logService.response.decode(
    logService.response.encode({ method: 11, clusterDetails: { logStores, cnStores: [], tnStores: [] } }),
  );
  return Object.fromEntries(shardLeaders(answer.clusterDetails?.logStores ?? []));
}

const [keeper, log] = [0n, 1n];

test('each shard has a leader of its own', () => {
  const all = [
    { shardId: keeper, leaderId: 2n, term: 3n },
    { shardId: log, leaderId: 3n, term: 8n },
  ];
  expect(leaders(all, all, all)).toEqual({ 0: 'log-2', 1: 'log-3' });
});

test('a store that is gone still calls itself the leader, and one that has just started knows of none', () => {
  const gone = [{ shardId: keeper, leaderId: 1n, term: 4n }];
  const now = [{ shardId: keeper, leaderId: 2n, term: 5n }];
  const started = [{ shardId: keeper, leaderId: 0n, term: 6n }];
  expect(leaders(gone, now, started)).toEqual({ 0: 'log-2' });
  expect(leaders(now, gone, [])).toEqual({ 0: 'log-2' });
});

test('nobody is known to lead: no replica says so, or the one that is said to is nobody’s', () => {
  expect(leaders([{ shardId: keeper, leaderId: 0n, term: 1n }], [])).toEqual({});
  expect(leaders([{ shardId: keeper, leaderId: 9n, term: 1n }])).toEqual({});
});
