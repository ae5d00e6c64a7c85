import { findCondition } from '@coxswain/runtime/apply';
import { expect, test } from 'vitest';
import { BucketClaim } from '../api/index.ts';
import { BucketWorld } from './test-world.ts';

interface Two {
  /** Paths of the two. */
  readonly paths: readonly [string, string];
  readonly policy: 'Delete' | 'Retain';
  /** Whether the first is the owner of its path. */
  readonly isOwner: boolean;
}

/** The log services `one` and `two`, which run at paths that clash: there were no owners of paths when the second came, or both. */
async function start({ paths, policy, isOwner }: Two): Promise<BucketWorld> {
  const world = await BucketWorld.start();
  for (const [index, path] of paths.entries()) {
    const name = ['one', 'two'][index] ?? '';
    const operator = await world.startOperator({ gate: isOwner && index === 0 });
    const s3 = { type: 'minio', endpoint: 'http://minio.store:9000', path, s3RetentionPolicy: policy };
    await world.createLogSet({ name, s3 });
    await world.until(`${name} is ready`, () => world.isReady(name));
    await world.stopOperator(operator);
  }
  await world.startOperator();
  await world.until('both have a claim', async () => (await world.claims()).length === 2);
  await world.clock.advance(60_000);
  expect(await world.phases()).toEqual([`default/one: ${isOwner ? 'InUse' : 'Pending'}`, 'default/two: Pending']);
  expect([await world.isReady('two'), await isBlocked(world)]).toEqual([true, true]);
  return world;
}

async function remove(world: BucketWorld, name: string): Promise<void> {
  await world.deleteLogSet(name);
  await world.until('it is gone', async () => (await world.logSet(name)) === undefined);
}

async function isBlocked(world: BucketWorld): Promise<boolean> {
  const logSet = await world.logSet('two');
  return logSet !== undefined && findCondition(logSet, 'BucketBlocked') !== undefined;
}

const cases = [
  { policy: 'Delete', isOwner: true },
  { policy: 'Delete', isOwner: false },
  { policy: 'Retain', isOwner: true },
  { policy: 'Retain', isOwner: false },
] as const;

test.each(cases)('of two at one path, the one that stays becomes the owner, of the data too (%o)', async (options) => {
  await using world = await start({ ...options, paths: ['lake/prod', 'lake/prod'] });
  await remove(world, 'one');
  await world.until('it is the owner', async () => (await world.phases()).includes('default/two: InUse'));
  await world.until('it says so', async () => !(await isBlocked(world)));
  expect(await world.jobs()).toEqual([]);
  await remove(world, 'two');
  if (options.policy === 'Retain') return expect(await world.phases()).toEqual(['-: Released']);
  await world.until('the data is removed', async () => (await world.jobs()).length === 1);
  await world.until('no claim', async () => (await world.claims()).length === 0);
});

test('data is not removed as long as one runs within it; when that goes, all of it is', async () => {
  await using world = await start({ policy: 'Delete', isOwner: true, paths: ['lake/prod', 'lake/prod/sub'] });
  await remove(world, 'one');
  await world.clock.advance(120_000);
  expect(await world.jobs()).toEqual([]);
  const left = (await world.claims()).find(({ status }) => status?.state === 'Deleting');
  expect(left?.status?.conditions).toMatchObject([{ type: 'recyclable', status: 'False', reason: 'PathInUse' }]);
  await remove(world, 'two');
  const cleaned = new Set<string>();
  await world.until('no claim', async () => {
    for (const { metadata } of await world.jobs()) cleaned.add(metadata.name);
    return (await world.claims()).length === 0;
  });
  expect(cleaned.size).toBe(2);
});

test('data of one that never was the owner is for a person to remove', async () => {
  await using world = await start({ policy: 'Delete', isOwner: false, paths: ['lake/prod', 'lake/prod/sub'] });
  await remove(world, 'one');
  await world.until('the other one is', async () => (await world.phases()).includes('default/two: InUse'));
  await remove(world, 'two');
  await world.clock.advance(120_000);
  expect(await world.phases()).toEqual(['-: Deleting', '-: Released']);
  expect(await world.jobs()).toEqual([]);
});

test('what was retained before is not for one to remove that never was the owner', async () => {
  await using world = await start({ policy: 'Delete', isOwner: true, paths: ['lake/prod', 'lake/prod/sub'] });
  const two = (await world.claims()).find(({ status }) => status?.bindTo === 'default/two');
  if (!two) throw new Error('no claim');
  const retained = { ...two, metadata: { namespace: 'default', name: 'r' }, status: { bindTo: '', state: 'Released' } };
  await world.drive(world.client.of(BucketClaim).create(retained as BucketClaim));
  await remove(world, 'two');
  expect(await world.phases()).toEqual(['-: Released', '-: Released', 'default/one: InUse']);
});

test('data of one that is not the owner is kept, when it is to be', async () => {
  await using world = await start({ policy: 'Retain', isOwner: true, paths: ['lake/prod', 'lake/prod/sub'] });
  await remove(world, 'two');
  expect(await world.phases()).toEqual(['-: Released', 'default/one: InUse']);
});
