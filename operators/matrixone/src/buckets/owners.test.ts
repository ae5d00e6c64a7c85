import { Job } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { Transport } from '@coxswain/runtime/client';
import { type Random, seededRandom } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { cutTransport, type Invariants, watchInvariants } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { BucketClaim } from '../api/index.ts';
import { placesOverlap } from '../identity/index.ts';
import { phaseOfClaim, placeOfClaim } from './claims.ts';
import { BucketWorld } from './test-world.ts';

const endpoint = 'http://minio.store:9000';
/** Log services that want one path, as each of them writes it. */
const rivals = [
  { name: 'a', path: 'lake/prod' },
  { name: 'b', path: '/lake/prod/' },
  { name: 'c', path: 'lake/prod/inner' },
];

/** What must hold after each change: one owner of a path, one database at it, and no data removed that is somebody's. */
function watchOwners(world: BucketWorld, seed: number): Promise<Invariants> {
  return world.drive(
    watchInvariants({
      client: world.client,
      clock: world.clock,
      kinds: [BucketClaim, KruiseStatefulSet, Job],
      seed,
      rules: {
        'one owner': (stores) => {
          const owners = [...stores.store(BucketClaim).list()].filter((one) =>
            ['InUse', 'Deleting'].includes(phaseOfClaim(one)),
          );
          const clash = owners.find((one) =>
            owners.some((other) => other !== one && placesOverlap(placeOfClaim(one), placeOfClaim(other))),
          );
          return clash && `${clash.metadata.name} is not alone`;
        },
        'one database': (stores) => {
          const sets = [...stores.store(KruiseStatefulSet).list()];
          return sets.length > 1 ? sets.map(({ metadata }) => metadata.name).join(' and ') : undefined;
        },
        'only data that is nobody’s is removed': (stores) => {
          const cleaned = new Set([...stores.store(Job).list()].map(({ metadata }) => metadata.name));
          const claims = [...stores.store(BucketClaim).list()];
          const kept = claims.find(
            (one) => cleaned.has(`job-${one.metadata.name}`) && phaseOfClaim(one) !== 'Deleting',
          );
          return kept && `${kept.metadata.name} is ${phaseOfClaim(kept)}`;
        },
      },
    }),
  );
}

/** Loses requests and answers, and delays others, so that the steps of several operators interleave. */
function unsteady(world: BucketWorld, random: Random): (inner: Transport) => Transport {
  return (inner) => ({
    async send(request) {
      const chance = random.next();
      if (chance < 0.03) throw new Error('the connection was reset before the request was sent');
      if (chance < 0.4) await new Promise<void>((resolve) => world.clock.after(random.next() * 400, resolve));
      const answer = await inner.send(request);
      if (chance > 0.97) throw new Error('the connection was reset before the answer arrived');
      return answer;
    },
    watch: (request) => inner.watch(request),
    close: () => inner.close(),
  });
}

/** What is retained holds back the removal of what is around it: a person lets it go then, or `anyway`. */
async function forgetRetained(world: BucketWorld, anyway = false): Promise<void> {
  const claims = await world.claims();
  const isHeldBack = claims.some(({ status }) => status?.conditions?.some(({ reason }) => reason === 'PathInUse'));
  if (!isHeldBack && !anyway) return;
  for (const claim of claims) if (phaseOfClaim(claim) === 'Released') await world.forget(claim);
}

const runs = Number(process.env['COX_RUNS'] ?? 2);
const seeds = Array.from({ length: runs }, (_, index) => index + 1);

test.each(seeds)(
  'two operators at once and three databases for one path: one at a time (seed %i)',
  { timeout: 240_000 },
  async (seed) => {
    await using world = await BucketWorld.start({ seed });
    const random = seededRandom(seed);
    const invariants = await watchOwners(world, seed);
    // Neither knows of the other: what an old leader does that has not noticed yet that it is none.
    for (let operators = 0; operators < 2; operators++) await world.startOperator({ through: unsteady(world, random) });
    await world.createLogSets(
      rivals.map(({ name, path }) => {
        const s3RetentionPolicy = random.next() < 0.5 ? 'Retain' : 'Delete';
        return { name, s3: { path, endpoint, s3RetentionPolicy } };
      }),
    );
    for (const _ of rivals) {
      await world.until('one of them runs', async () => {
        await forgetRetained(world);
        return (await world.started()).length > 0;
      });
      await world.clock.advance(Math.floor(random.next() * 20_000));
      const [title = ''] = await world.started();
      const owner = title.replace('default/', '');
      await world.deleteLogSet(owner);
      await world.until(`${owner} is gone`, async () => (await world.logSet(owner)) === undefined);
    }
    await world.until('claims are forgotten', async () => {
      await forgetRetained(world, true);
      return (await world.claims()).length === 0;
    });
    expect(invariants.checked).toBeGreaterThan(20);
    await world.drive(invariants.stop());
    invariants.check();
  },
);

/** Goes through the life of two databases at one path, the second after the first. */
async function live(world: BucketWorld, follow: () => Promise<void>): Promise<void> {
  const until = (what: string, holds: () => Promise<boolean>) =>
    world.until(what, async () => {
      await follow();
      return holds();
    });
  for (const { name, path } of rivals.slice(0, 2)) {
    await world.createLogSet({ name, s3: { path, endpoint, s3RetentionPolicy: name === 'a' ? 'Retain' : 'Delete' } });
    if (name === 'a') await until('the first runs', () => world.isReady('a'));
  }
  await world.deleteLogSet('a');
  await until('the second runs', () => world.isReady('b'));
  await world.deleteLogSet('b');
  await until(
    'nothing is left',
    async () => (await world.claims()).length === 0 && (await world.logSet('b')) === undefined,
  );
}

/** Runs a life whose first operator is cut off at a write. @returns how many writes it did */
async function cutAt(write: number, when: 'before' | 'after'): Promise<number> {
  await using world = await BucketWorld.start();
  const invariants = await watchOwners(world, write);
  const started = async (cut?: { readonly write: number; readonly when: 'before' | 'after' }) => {
    let process = cutTransport(world.client.transport, cut);
    const manager = await world.startOperator({
      through: (inner) => {
        process = cutTransport(inner, cut);
        return process.transport;
      },
    });
    return { manager, process };
  };
  let current: { manager: Manager; process: { readonly isCut: boolean; readonly writes: number } } = await started({
    write,
    when,
  });
  await live(world, async () => {
    if (!current.process.isCut) return;
    await world.stopOperator(current.manager);
    await world.clock.advance(5_000);
    current = await started();
  });
  await world.drive(invariants.stop());
  invariants.check();
  return current.process.writes;
}

/** With COX_RUNS every write is tried. */
const stride = process.env['COX_RUNS'] ? 1 : 17;

test('wherever the operator dies, paths have one owner and claims come to their end', {
  timeout: 600_000,
}, async () => {
  const writes = await cutAt(Number.POSITIVE_INFINITY, 'after');
  expect(writes).toBeGreaterThan(20);
  for (let write = 1; write <= writes; write += stride) await cutAt(write, write % 2 === 0 ? 'before' : 'after');
});
