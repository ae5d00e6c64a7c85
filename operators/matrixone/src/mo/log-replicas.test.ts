import { expect, test } from 'vitest';
import { logService } from './index.ts';
import { logReplicas } from './log-replicas.ts';

interface Said {
  readonly shardId: bigint;
  readonly leaderId?: bigint;
  readonly epoch?: bigint;
  readonly members?: readonly bigint[];
}

/** What each of the stores has, by what it and the others say of their replicas; over the wire, as it comes. */
function replicas(...said: readonly (readonly Said[])[]) {
  const logStores = said.map((shards, at) => ({
    uuid: `log-${at + 1}`,
    replicas: shards.map(({ shardId, leaderId = 1n, epoch = 3n, members = [1n, 2n, 3n] }) => ({
      shard: { shardId, leaderId, epoch, replicas: new Map(members.map((id) => [id, `log-${id}`])) },
      replicaId: BigInt(at + 1),
    })),
  }));
  const answer = logService.response.decode(
    logService.response.encode({ method: 11, clusterDetails: { logStores, cnStores: [], tnStores: [] } }),
  );
  return [...logReplicas(answer.clusterDetails?.logStores ?? []).values()];
}

const missing = (...said: readonly (readonly Said[])[]) => replicas(...said).map((store) => store.missing);

const both = [{ shardId: 0n }, { shardId: 1n }];

test('nothing is missing where all tell of all they should have', () => {
  expect(missing(both, both, both)).toEqual([[], [], []]);
});

test('a replica that its store does not tell of yet, or that knows of no leader, does not work', () => {
  expect(missing(both, both, [])).toEqual([[], [], [0n, 1n]]);
  expect(missing(both, both, [{ shardId: 0n, leaderId: 0n }, { shardId: 1n }])).toEqual([[], [], [0n]]);
});

test('who should have a replica is what the newest configuration says: one whose replica was moved misses nothing', () => {
  const moved = [{ shardId: 0n, epoch: 5n, members: [1n, 2n, 4n] }];
  const old = [{ shardId: 0n, leaderId: 0n }];
  expect(missing(moved, moved, old, moved)).toEqual([[], [], [], []]);
  expect(missing(moved, moved, old, [])).toEqual([[], [], [], [0n]]);
});

test('what works is what a store tells of and belongs to: not what was moved away from it', () => {
  const moved = [{ shardId: 0n, epoch: 5n, members: [1n, 2n, 4n] }];
  const works = replicas(moved, [{ shardId: 0n, leaderId: 0n }], both, []).map((store) => store.works);
  expect(works).toEqual([[0n], [], [1n], []]);
});
