import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { ActorContext } from '@coxswain/runtime/actor';
import { formatTime, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { type BucketClaim, DNSet } from '../api/index.ts';
import { BucketWorld } from './test-world.ts';
import { type BucketUser, useBucket } from './use.ts';

const clock = new VirtualClock();
const claim = {
  metadata: { namespace: 'default', name: 'bucket-a', resourceVersion: '1' },
  status: { bindTo: 'default/mo', state: 'InUse' },
} as BucketClaim;

/** What becomes of the mark of a set of this age, when the server knows the set so. */
async function marked(age: number, now: object | undefined): Promise<string> {
  const metadata = { namespace: 'default', name: 'd', uid: 'd', creationTimestamp: formatTime(clock.now() - age) };
  const object: BucketUser = { metadata, deps: { logSet: { metadata: { namespace: 'default', name: 'mo' } } } };
  let writes = 0;
  const resource = { find: () => Promise.resolve(now), patch: () => Promise.resolve(writes++) };
  const { signal } = new AbortController();
  const store = () => ({ list: () => [claim] });
  const context = { client: { of: () => resource }, clock, object, signal, store };
  const end = await useBucket(context as unknown as ActorContext<BucketUser>, 'DN').catch(String);
  return writes > 0 ? 'marked' : String(end);
}

test('a set that is old is marked only when the server, too, knows it', async () => {
  const hour = 3_600_000;
  expect(await marked(hour, { metadata: { uid: 'd' } })).toBe('marked');
  expect(await marked(hour, undefined)).toMatch(/DNSet d goes, or is gone/);
});

test('a set that comes after a user has deleted the claim in use starts, and the claim stays', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator();
  const s3 = { type: 'minio', endpoint: 'http://minio.store:9000', path: 'lake/prod' };
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo'));
  for (const one of await world.claims()) await world.forget(one);
  const deps = { logSet: { metadata: { name: 'mo', namespace: 'default' } } };
  const spec = { replicas: 1, image: 'matrixorigin/matrixone:2.1.0' };
  await world.drive(world.client.of(DNSet).create({ metadata: { namespace: 'default', name: 'd' }, deps, spec }));
  const sets = async () => (await world.drive(world.client.of(KruiseStatefulSet).list())).items;
  await world.until('it starts', async () => (await sets()).some(({ metadata }) => metadata.name === 'd-dn'));
  expect(await world.phases()).toEqual(['default/mo: InUse']);
});
