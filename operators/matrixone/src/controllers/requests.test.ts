import { merge, type TransportRequest } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { World } from '../scenario/test-world.ts';

const key = { namespace: 'default', name: 'mo' };
/** Milliseconds in which what has become ready comes to rest. */
const rest = 10_000;

/** `patch cnsets/status` of a request; watches are none. */
function nameOf({ method, path }: TransportRequest): string {
  const inGroup = path.replace(/^\/(api|apis\/[^/]+)\/[^/]+\//, '').replace(/^namespaces\/[^/]+\//, '');
  const [resource, , subresource] = inGroup.split('/');
  return `${method} ${[resource, subresource].filter(Boolean).join('/')}`;
}

/** A world, and what its operator has asked for since the last count. */
async function counting() {
  let asked: string[] = [];
  const world = await World.start({ buckets: {}, onRequest: (request) => asked.push(nameOf(request)) });
  const count = (): Readonly<Record<string, number>> => {
    const by = Object.groupBy(asked, (name) => name);
    asked = [];
    return Object.fromEntries(Object.entries(by).map(([name, all = []]) => [name, all.length]));
  };
  await world.clock.advance(rest);
  count();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(rest);
  return { world, count };
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, one) => all + one, 0);

test('what the creation of a cluster costs', async () => {
  const { world, count } = await counting();
  await using _ = world;
  const counts = count();
  // Each set is born with its finalizer; the log service chooses its first members before anything depends on them.
  expect(counts).toMatchObject({
    'PATCH logsets': 2,
    'PATCH dnsets': 1,
    'PATCH cnsets': 1,
    'PATCH proxysets': 1,
    'PATCH statefulsets': 2,
    'PATCH clonesets': 2,
    'PATCH services': 8,
    'PATCH configmaps': 6,
  });
  // Whoever made the claim of the S3 path looks once whether he is alone; what else is needed of others is in the cache.
  expect(counts).toMatchObject({ 'POST bucketclaims': 1, 'GET bucketclaims': 1, 'PATCH bucketclaims': 4 });
  // Before what leads to its data is copied the log service must be there.
  expect(counts).toMatchObject({ 'GET logsets': 1 });
  // Two for each compute node.
  expect(counts).toMatchObject({ 'PATCH pods': 2, 'PATCH pods/status': 2 });
  // What is on its way is told when it takes longer than that.
  const statuses = Object.entries(counts).filter(([name]) => /sets\/status|clusters\/status/.test(name));
  expect(sum(Object.fromEntries(statuses))).toBeLessThanOrEqual(8);
  // That four workloads are made, and five objects synced.
  expect(counts['POST events']).toBe(9);
  await world.clock.advance(3_600_000);
  expect(count()).toEqual({});
});

test('what more compute nodes cost', async () => {
  const { world, count } = await counting();
  await using _ = world;
  count();
  const cluster = await world.drive(world.client.of(MatrixOneCluster).get(key));
  const cnGroups = cluster.spec.cnGroups?.map((group) => ({ ...group, replicas: 4 }));
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec: { cnGroups } })));
  await world.clock.advance(1_000);
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(rest);
  const counts = count();
  expect(counts).toMatchObject({ 'PATCH cnsets': 1, 'PATCH clonesets': 1, 'PATCH pods': 2, 'PATCH pods/status': 2 });
  expect(counts['PATCH cnsets/status']).toBeLessThanOrEqual(3);
  expect(counts['PATCH matrixoneclusters/status']).toBeLessThanOrEqual(3);
  expect(sum(counts)).toBeLessThanOrEqual(16);
});
