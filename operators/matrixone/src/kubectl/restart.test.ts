import { Pod } from '@coxswain/k8s';
import { json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LogSet } from '../api/index.ts';
import { unmanagedCnStores } from '../cnstore/index.ts';
import { World } from '../scenario/test-world.ts';
import { confirmFailover } from './confirm-failover.ts';
import { restart } from './restart.ts';
import { terminal } from './test-terminal.ts';

async function start(failureTimeout = '10m'): Promise<World> {
  const world = await World.start({ cnStores: unmanagedCnStores });
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, storeFailureTimeout: failureTimeout } },
  }));
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

async function pods(world: World, component: string): Promise<readonly Pod[]> {
  const labels = `matrixorigin.io/component=${component}`;
  return (await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }))).items;
}

const uids = (list: readonly Pod[]) => list.map(({ metadata }) => metadata.uid);

async function breakPod(world: World, name: string): Promise<void> {
  const image = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch({ namespace: 'default', name }, image));
}

test('all pods are replaced one by one, and never more than one log store is down', { timeout: 240_000 }, async () => {
  await using world = await start();
  const roles = ['LogSet', 'DNSet', 'CNSet', 'ProxySet'];
  const before = (await Promise.all(roles.map((role) => pods(world, role)))).flat();
  const down = new Set<string>();
  let most = 0;
  await world.record(Pod, ({ metadata, status }) => {
    const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    const isLog = metadata.labels?.['matrixorigin.io/component'] === 'LogSet';
    if (!isLog) return undefined;
    if (isReady && !metadata.deletionTimestamp) down.delete(metadata.name);
    else down.add(metadata.name);
    most = Math.max(most, down.size);
    return undefined;
  });
  const { session, output, notes } = terminal(world, 'restart mo');
  expect(await world.drive(restart(session))).toBe(0);
  expect(output().match(/is being replaced/g)).toHaveLength(before.length);
  expect(output()).toContain(`${before.length} pods of mo were replaced`);
  expect(notes.join()).toContain('sessions are cut');
  const after = (await Promise.all(roles.map((role) => pods(world, role)))).flat();
  expect(after).toHaveLength(before.length);
  expect(uids(after).filter((uid) => uids(before).includes(uid))).toEqual([]);
  expect(most).toBe(1);
  await world.until('the cluster is settled', () => world.settled());
});

test('one role alone', { timeout: 240_000 }, async () => {
  await using world = await start();
  const [logs, proxies] = [await pods(world, 'LogSet'), await pods(world, 'ProxySet')];
  await world.drive(restart(terminal(world, 'restart mo --component proxy').session));
  expect(uids(await pods(world, 'LogSet'))).toEqual(uids(logs));
  expect(uids(await pods(world, 'ProxySet'))).not.toEqual(uids(proxies));
});

test('while a log store is down no other one is touched', { timeout: 240_000 }, async () => {
  await using world = await start();
  await breakPod(world, 'mo-log-2');
  await world.clock.advance(10_000);
  const before = await pods(world, 'LogSet');
  const { session } = terminal(world, 'restart mo --component log --timeout 60s');
  await expect(world.drive(restart(session))).rejects.toThrow('LogSet mo: fewer than 3 log stores are up');
  expect(uids(await pods(world, 'LogSet'))).toEqual(uids(before));
});

test('words that name no cluster, or no role, do nothing', { timeout: 240_000 }, async () => {
  await using world = await World.start({ cnStores: unmanagedCnStores });
  const refused = [
    ['restart', 'name one MatrixOneCluster'],
    ['restart x', 'there is no MatrixOneCluster x in namespace default'],
    ['restart mo --component dn', '--component is "dn"; it is one of log, tn, cn, proxy, webui'],
  ] as const;
  for (const [words, message] of refused)
    await expect(world.drive(restart(terminal(world, words).session))).rejects.toThrow(message);
});

test('a failover beyond the quorum is confirmed for stores that are down, and with --yes only', {
  timeout: 240_000,
}, async () => {
  await using world = await start('20s');
  await breakPod(world, 'mo-log-1');
  await breakPod(world, 'mo-log-2');
  await world.clock.advance(60_000);
  const confirm = (words: string) => world.drive(confirmFailover(terminal(world, `confirm-failover ${words}`).session));
  await expect(confirm('mo mo-log-0 --yes')).rejects.toThrow(
    'mo-log-0 is not down as LogSet mo sees it; down are: mo-log-1, mo-log-2',
  );
  await expect(confirm('mo mo-log-1')).rejects.toThrow(
    /mo-log-1 \(down for 1m\): would be replaced and the volumes deleted/,
  );
  const { metadata } = await world.drive(world.client.of(LogSet).get({ namespace: 'default', name: 'mo' }));
  expect(metadata.annotations).not.toHaveProperty(['matrixorigin.io/confirm-failover']);
  const key = { namespace: 'default', name: 'mo' };
  const annotations = { 'matrixorigin.io/confirm-failover': 'mo-log-0' };
  await world.drive(world.client.of(LogSet).patch(key, merge({ metadata: { annotations } })));
  expect(await confirm('mo mo-log-1 mo-log-2 --yes')).toBe(0);
  const confirmed = await world.drive(world.client.of(LogSet).get(key));
  expect(confirmed.metadata.annotations?.['matrixorigin.io/confirm-failover']).toBe('mo-log-1,mo-log-2');
  await world.until('the cluster is settled', () => world.settled());
  expect((await pods(world, 'LogSet')).map(({ metadata: { name } }) => name).sort()).toEqual([
    'mo-log-0',
    'mo-log-3',
    'mo-log-4',
  ]);
});
