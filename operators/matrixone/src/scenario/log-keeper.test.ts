/** Failovers, and the end of a database, by what HAKeeper says of the log stores, or does not. */
import { Pod } from '@coxswain/k8s';
import { conditionsOf } from '@coxswain/runtime/apply';
import { json, merge } from '@coxswain/runtime/client';
import { eventKind } from '@coxswain/runtime/events';
import { expect, test } from 'vitest';
import { LogSet, MatrixOneCluster } from '../api/index.ts';
import { type LogStores, startLogStores } from './test-log-stores.ts';
import type { World } from './test-world.ts';

const namespace = 'default';
const key = { namespace, name: 'mo' };
const patience = 240_000;

/** A cluster whose log stores are replaced after 20 seconds. */
const start = () =>
  startLogStores((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, storeFailureTimeout: '20s' } },
  }));

/** Makes the container of a pod one that cannot start any more. */
async function breakPod(world: World, name: string): Promise<void> {
  const image = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch({ namespace, name }, image));
}

async function names(world: World, stores: LogStores): Promise<readonly string[]> {
  return (await world.drive(stores.pods())).map(({ metadata }) => metadata.name).sort();
}

async function condition(world: World, type: string) {
  return conditionsOf(await world.drive(world.client.of(LogSet).get(key))).find((one) => one.type === type);
}

async function events(world: World, reason: string): Promise<readonly string[]> {
  const { items } = await world.drive(world.client.of(eventKind).list({ namespace }));
  return items.filter((event) => event.reason === reason).map(({ regarding, note }) => `${regarding?.kind}: ${note}`);
}

/** Replaces the second store, by a fourth one that gets no replicas. */
async function failOnce(world: World, stores: LogStores): Promise<void> {
  stores.lost.add('mo-log-3');
  await breakPod(world, 'mo-log-1');
  await world.until('the store is replaced', async () => (await stores.pods()).some(isFourth));
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
}

const isFourth = ({ metadata }: Pod) => metadata.name === 'mo-log-3';
const heldBack =
  /^mo-log-0 is not replaced, as mo-log-3 has not got its replicas of the log from HAKeeper yet: without both the log would be lost for good; .*confirm-failover=mo-log-0: .*backup/;

test.each([false, true])(
  'no store is replaced before the one of the last failover has its replicas; with the majority gone: %s',
  {
    timeout: patience,
  },
  async (needsMajority) => {
    const { world, stores } = await start();
    await using _ = world;
    stores.needsMajority = needsMajority;
    await failOnce(world, stores);
    await breakPod(world, 'mo-log-0');
    await world.clock.advance(120_000);
    expect(await names(world, stores)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
    const blocked = { status: 'True', reason: 'ReplicasMissing', message: expect.stringMatching(heldBack) };
    expect(await condition(world, 'FailoverBlocked')).toMatchObject(blocked);
    // One that has heard nothing of HAKeeper itself keeps to it.
    await world.stopOperator();
    await world.startOperator({ cnStores: stores });
    await world.clock.advance(60_000);
    expect(await names(world, stores)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
    expect(await events(world, 'FailoverBlocked')).toHaveLength(1);
    stores.lost.clear();
    await world.until('the store is replaced', async () => (await names(world, stores)).includes('mo-log-4'));
    await world.until('the cluster is settled', () => world.settled());
    expect(await condition(world, 'FailoverBlocked')).toBeUndefined();
  },
);

test('what a person confirms is replaced all the same', { timeout: patience }, async () => {
  const { world, stores } = await start();
  await using _ = world;
  await failOnce(world, stores);
  await breakPod(world, 'mo-log-0');
  await world.clock.advance(60_000);
  const annotations = { 'matrixorigin.io/confirm-failover': 'mo-log-0' };
  await world.drive(world.client.of(LogSet).patch(key, merge({ metadata: { annotations } })));
  await world.until('the cluster is settled', () => world.settled());
  expect(await names(world, stores)).toEqual(['mo-log-2', 'mo-log-3', 'mo-log-4']);
});

test('an operator that begins when HAKeeper has fallen silent with a store replaces none after an earlier failover', {
  timeout: patience,
}, async () => {
  const { world, stores } = await start();
  await using _ = world;
  stores.needsMajority = true;
  await failOnce(world, stores);
  // The machine of the store was the operator's, too.
  await world.stopOperator();
  await breakPod(world, 'mo-log-0');
  await world.clock.advance(5_000);
  await world.startOperator({ cnStores: stores });
  await world.clock.advance(300_000);
  expect(await names(world, stores)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
  const message = expect.stringMatching(/^mo-log-0 is not replaced, .*confirm-failover=mo-log-0: .*backup/);
  expect(await condition(world, 'FailoverBlocked')).toMatchObject({ reason: 'ReplicasMissing', message });
  stores.lost.clear();
  await world.until('the store is replaced', async () => (await names(world, stores)).includes('mo-log-4'));
  await world.until('the cluster is settled', () => world.settled());
});

test('a HAKeeper that cannot be reached anyway holds no failover', { timeout: patience }, async () => {
  const { world, stores } = await start();
  await using _ = world;
  await failOnce(world, stores);
  stores.trouble = new Error('nobody answers');
  await world.stopOperator();
  await world.startOperator({ cnStores: stores });
  await world.clock.advance(120_000);
  await breakPod(world, 'mo-log-0');
  await world.until('the cluster is settled', () => world.settled());
  expect(await names(world, stores)).toEqual(['mo-log-2', 'mo-log-3', 'mo-log-4']);
});

const silent = 'HaKeeperSilent';

test('a HAKeeper that is silent for a minute is told, up to the cluster, as long as it is', {
  timeout: patience,
}, async () => {
  const { world, stores } = await start();
  await using _ = world;
  expect(await condition(world, silent)).toBeUndefined();
  stores.trouble = new Error('nobody answers');
  await world.clock.advance(55_000);
  expect(await condition(world, silent)).toBeUndefined();
  await world.clock.advance(60_000);
  const told = await condition(world, silent);
  expect(told).toMatchObject({ status: 'True', reason: 'NoAnswer' });
  expect(told?.message).toMatch(/^HAKeeper at mo-log-discovery\.default\.svc:32001 has not answered for a minute/);
  const ready = conditionsOf((await world.drive(world.cluster())) as MatrixOneCluster).find(
    ({ type }) => type === 'Ready',
  );
  expect(ready).toMatchObject({ status: 'True', message: `all sets are ready; LogSet mo: ${told?.message}` });
  expect(await events(world, silent)).toEqual([`LogSet: ${told?.message}`]);

  const before = await world.versions();
  await world.clock.advance(1_800_000);
  expect(await world.versions()).toEqual(before);
  // One that starts anew says what is so already, and says it once.
  await world.stopOperator();
  await world.startOperator({ cnStores: stores });
  await world.clock.advance(600_000);
  const { 'LogSet mo': log, 'MatrixOneCluster mo': cluster } = await world.versions();
  expect([log, cluster]).toEqual([before['LogSet mo'], before['MatrixOneCluster mo']]);
  expect(await events(world, silent)).toHaveLength(1);

  stores.trouble = undefined;
  await world.until('HAKeeper is heard', async () => (await condition(world, silent)) === undefined, 60);
  await world.until('the cluster says so', async () => {
    const { status } = (await world.cluster()) as MatrixOneCluster;
    return (
      status?.conditions?.some(({ type, message }) => type === 'Ready' && message === 'all sets are ready') ?? false
    );
  });
});

test('neither a lost answer nor a start is a silence, nor is it one where the log stores are down', {
  timeout: patience,
}, async () => {
  const { world, stores } = await start();
  await using _ = world;
  const seen: string[] = [];
  await world.record(LogSet, (object) => {
    if (conditionsOf(object).some(({ type }) => type === silent)) seen.push('silent');
    return undefined;
  });
  for (let minute = 0; minute < 5; minute++) {
    stores.trouble = new Error('nobody answers');
    await world.clock.advance(25_000);
    stores.trouble = undefined;
    await world.clock.advance(35_000);
  }
  for (const name of ['mo-log-0', 'mo-log-1']) await breakPod(world, name);
  stores.trouble = new Error('nobody answers');
  await world.clock.advance(600_000);
  expect(seen).toEqual([]);
});

const ending = (terminationPolicy: string) => (cluster: MatrixOneCluster) => {
  const cnGroups = cluster.spec.cnGroups?.map((group) => ({ ...group, terminationPolicy }));
  return { ...cluster, spec: { ...cluster.spec, ...(cnGroups ? { cnGroups } : {}) } };
};

test.each(['Delete', 'Drain'] as const)(
  'a database whose HAKeeper is gone goes at once, terminationPolicy %s',
  {
    timeout: patience,
  },
  async (terminationPolicy) => {
    const { world, stores } = await startLogStores(ending(terminationPolicy));
    await using _ = world;
    stores.now = { sessions: 3, pipelines: 0, replicas: 0 };
    stores.trouble = new Error('nobody answers');
    await world.until('it is silent', async () => (await condition(world, silent)) !== undefined);
    await world.drive(world.client.of(MatrixOneCluster).delete(key));
    expect(await world.until('the cluster is gone', async () => (await world.cluster()) === undefined)).toBeLessThan(
      60,
    );
  },
);

test('while HAKeeper answers, the end of a database waits for its sessions', { timeout: patience }, async () => {
  const { world, stores } = await startLogStores(ending('Drain'));
  await using _ = world;
  stores.now = { sessions: 3, pipelines: 0, replicas: 0 };
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.clock.advance(120_000);
  expect(await world.drive(world.cluster())).toBeDefined();
  stores.now = { sessions: 0, pipelines: 0, replicas: 0 };
  expect(await world.until('the cluster is gone', async () => (await world.cluster()) === undefined)).toBeLessThan(60);
});
