import { Pod } from '@coxswain/k8s';
import { grant } from '@coxswain/runtime/apply';
import { createClient, json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster, ProxySet } from '../../api/index.ts';
import { unmanagedCnStores } from '../../cnstore/index.ts';
import { World } from '../../scenario/test-world.ts';
import { terminal } from '../test-terminal.ts';
import { status } from './command.ts';

const key = { namespace: 'default', name: 'mo' };

async function show(world: World, words: string) {
  const { session, output, notes } = terminal(world, words);
  const code = await world.drive(status(session));
  // of pods that are all alike the names are by chance
  const text = output().replace(/(-(?:cn|proxy))-[a-z0-9]{5}\b/g, '$1-xxxxx');
  return { code, text, notes };
}

test('a cluster that is as it should be', { timeout: 240_000 }, async () => {
  await using world = await World.start({ cnStores: unmanagedCnStores });
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(150_000);
  const { code, text, notes } = await show(world, 'status');
  expect({ code, notes }).toEqual({ code: 0, notes: [] });
  expect(text).toMatchInlineSnapshot(`
    "MatrixOneCluster default/mo: all is as it should be
    ● MatrixOneCluster/mo       Ready, v2.1.0, mo-proxy.default:6001
    ● ├─ LogSet/mo              3/3 up, v2.1.0
    ● │  ├─ Pod/mo-log-0        Up for 2m30s  v2.1.0
    ● │  ├─ Pod/mo-log-1        Up for 2m30s  v2.1.0
    ● │  └─ Pod/mo-log-2        Up for 2m30s  v2.1.0
    ● ├─ DNSet/mo               1/1 up, v2.1.0
    ● │  └─ Pod/mo-dn-0         Up for 2m30s  v2.1.0
    ● ├─ CNSet/mo-tp            2/2 up, v2.1.0
    ● │  ├─ Pod/mo-tp-cn-xxxxx  Up  v2.1.0
    ● │  └─ Pod/mo-tp-cn-xxxxx  Up  v2.1.0
    ● └─ ProxySet/mo            1/1 up, v2.1.0
    ●    └─ Pod/mo-proxy-xxxxx  Up  v2.1.0
    "
  `);
  const wide = await show(world, 'status mo -o wide');
  expect(wide.text).toMatch(/Pod\/mo-log-0 .* node=node-1 {2}ip=[\d.]+ {2}image=matrixorigin\/matrixone:v2/);
  expect(wide.text).toMatch(/Pod\/mo-tp-cn-xxxxx .* uuid=[\da-f-]{36} /);
  const one = JSON.parse((await show(world, 'status mo -o json')).text);
  expect(one).toMatchObject({ kind: 'MatrixOneCluster', name: 'mo', health: 'ok', facts: { version: 'v2.1.0' } });
  expect(one).not.toHaveProperty('waitsFor');
  const all = JSON.parse((await show(world, 'status -A -o json')).text);
  expect(all).toEqual({ items: [one] });
});

test('stores that are down: the first line says what a person can do, the tree which and why', {
  timeout: 240_000,
}, async () => {
  await using world = await World.start({ cnStores: unmanagedCnStores });
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, storeFailureTimeout: '20s' } },
  }));
  await world.until('the cluster is settled', () => world.settled());
  for (const name of ['mo-log-1', 'mo-log-2']) {
    const image = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
    await world.drive(world.client.of(Pod).patch({ namespace: 'default', name }, image));
  }
  await world.clock.advance(60_000);
  const { code, text } = await show(world, 'status mo');
  expect(code).toBe(1);
  expect(text).toMatchInlineSnapshot(`
    "MatrixOneCluster default/mo: waits for LogSet mo: 2 stores are down and only 1 may be replaced; bring back mo-log-1,mo-log-2, or annotate the LogSet with matrixorigin.io/confirm-failover=mo-log-1,mo-log-2: their volumes go; where that is a majority, only a backup brings the database back
    ○ MatrixOneCluster/mo       NotReady, v2.1.0, mo-proxy.default:6001
      │                         ! Ready is False for 1m (LogServiceNotReady): LogSet mo: fewer than 3 log stores are up; mo-log-1, mo-log-2: image invalid.example/broken:1 of container main cannot be pulled: image "invalid.example/broken:1" cannot be pulled: a rule of the simulated node says so
      │                         ! Synced is False for 1m (LogServiceNotSynced): LogSet mo: StatefulSet mo-log is being rolled out; mo-log-1, mo-log-2: image invalid.example/broken:1 of container main cannot be pulled: image "invalid.example/broken:1" cannot be pulled: a rule of the simulated node says so
    ✗ ├─ LogSet/mo              1/3 up, v2.1.0
      │  │                      ! Ready is False for 1m (NoEnoughReadyStores): fewer than 3 log stores are up
      │  │                      ! Synced is False for 1m (Waiting): StatefulSet mo-log is being rolled out
      │  │                      ! PodsFailing is True for 1m (ImagePull): mo-log-1, mo-log-2: image invalid.example/broken:1 of container main cannot be pulled: image "invalid.example/broken:1" cannot be pulled: a rule of the simulated node says so
      │  │                      ! FailoverBlocked is True for 40s (Quorum): 2 stores are down and only 1 may be replaced; bring back mo-log-1,mo-log-2, or annotate the LogSet with matrixorigin.io/confirm-failover=mo-log-1,mo-log-2: their volumes go; where that is a majority, only a backup brings the database back
    ● │  ├─ Pod/mo-log-0        Up for 1m  v2.1.0
    ✗ │  ├─ Pod/mo-log-1        Down for 1m; container main: ImagePullBackOff, Back-off pulling image "invalid.example/broken:1": ErrImagePull: image "invalid.example/broken:1" cannot be pulled: a rule of the simulated node says so  1 → matrixorigin/matrixone:v2.1.0
    ✗ │  └─ Pod/mo-log-2        Down for 1m; container main: ImagePullBackOff, Back-off pulling image "invalid.example/broken:1": ErrImagePull: image "invalid.example/broken:1" cannot be pulled: a rule of the simulated node says so  1 → matrixorigin/matrixone:v2.1.0
    ○ ├─ DNSet/mo               1/1 up, v2.1.0
      │  │                      ! Synced is False for 1m (DependencyNotReady): waiting: LogSet default/mo is not ready: NoEnoughReadyStores: fewer than 3 log stores are up
    ● │  └─ Pod/mo-dn-0         Up for 1m  v2.1.0
    ○ ├─ CNSet/mo-tp            2/2 up, v2.1.0
      │  │                      ! Synced is False for 1m (DependencyNotReady): waiting: LogSet default/mo is not ready: NoEnoughReadyStores: fewer than 3 log stores are up
    ● │  ├─ Pod/mo-tp-cn-xxxxx  Up  v2.1.0
    ● │  └─ Pod/mo-tp-cn-xxxxx  Up  v2.1.0
    ○ └─ ProxySet/mo            1/1 up, v2.1.0
         │                      ! Synced is False for 1m (DependencyNotReady): waiting: LogSet default/mo is not ready: NoEnoughReadyStores: fewer than 3 log stores are up
    ●    └─ Pod/mo-proxy-xxxxx  Up  v2.1.0
    "
  `);
  const { waitsFor, children } = JSON.parse((await show(world, 'status mo -o json')).text);
  expect(waitsFor).toMatch(/^LogSet mo: 2 stores are down and only 1 may be replaced/);
  expect(children[0].conditions.map(({ type }: { type: string }) => type)).toContain('FailoverBlocked');
});

test('a rollout shows from which version to which, and a spec that is refused why', { timeout: 240_000 }, async () => {
  await using world = await World.start({ cnStores: unmanagedCnStores });
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const clusters = world.client.of(MatrixOneCluster);
  await world.drive(clusters.patch(key, merge({ spec: { version: 'v2.2.0' } })));
  await world.until('a pod is old and its set new', async () => {
    const { session, output } = terminal(world, 'status');
    await status(session);
    return output().includes('v2.1.0 → v2.2.0');
  });
  await world.until('no pod is old', async () => {
    const { session, output } = terminal(world, 'status');
    return (await status(session)) === 0 && !output().includes('v2.1.0');
  });

  await world.drive(clusters.patch(key, merge({ spec: { logService: { storeFailureTimeout: 'soon\u001b[2J' } } })));
  await world.clock.advance(5_000);
  const refused = await show(world, 'status');
  expect(refused.code).toBe(1);
  expect(refused.text.split('\n')[0]).toMatch(/^MatrixOneCluster default\/mo: waits for .*storeFailureTimeout/);
  expect(refused.text).toContain('soon\\x1b[2J');
  expect(refused.text).not.toContain('\u001b');
});

test('what a user may not read is left out and said', { timeout: 240_000 }, async () => {
  await using world = await World.start({ cnStores: unmanagedCnStores });
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const { clock } = world;
  const { transport } = world.embedded.clientAs({ name: 'somebody' });
  const client = createClient({ transport, fieldManager: 'test', clock });
  const blind = terminal({ client, clock }, 'status');
  await expect(world.drive(status(blind.session))).rejects.toThrow('User "somebody" cannot list resource');
  const resources = ['matrixoneclusters', 'logsets'];
  const rules = [{ apiGroups: ['core.matrixorigin.io'], resources, verbs: ['list'] }];
  await world.drive(grant(world.client, { name: 'somebody', rules, user: 'somebody' }));
  const half = terminal({ client, clock }, 'status');
  expect(await world.drive(status(half.session))).toBe(0);
  expect(half.output()).toMatch(/LogSet\/mo +3\/3 up/);
  expect(half.output()).not.toContain('gone');
  expect(half.output()).not.toContain('DNSet/mo');
  expect(half.notes.join()).toMatch(/not shown: pods is forbidden: User "somebody" cannot list resource "pods"/);
  await expect(show(world, 'status other')).rejects.toThrow('there is no MatrixOne "other" in namespace default');
  expect(await show(world, 'status -n default --output=yaml')).toMatchObject({ code: 0 });
  await expect(show(world, 'status -o table')).rejects.toThrow('it is one of wide, json, yaml');
});

test('a watch tells again what has changed, and not that time goes by', { timeout: 240_000 }, async () => {
  await using world = await World.start({ cnStores: unmanagedCnStores });
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const { session, output } = terminal(world, 'status -w --timeout 60s');
  const watch = status(session);
  await world.clock.advance(20_000);
  const first = output();
  expect(first.match(/^MatrixOneCluster /gm)).toHaveLength(1);
  const spec = { proxy: { replicas: 2 } };
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec })));
  expect(await world.drive(watch)).toBe(0);
  expect((await world.drive(world.client.of(ProxySet).get(key))).spec.replicas).toBe(2);
  expect(output().slice(first.length)).toContain('2/2 up');

  const screen = terminal(world, 'status -w --timeout 5s', { isTTY: true, rows: 6, columns: 30 });
  expect(await world.drive(status(screen.session))).toBe(0);
  const pictures = screen.output().split('\u001b[H\u001b[J').slice(1);
  expect(pictures).toHaveLength(3);
  const lines = pictures[0]?.split('\n') ?? [];
  expect(lines).toHaveLength(5);
  expect(lines.at(-1)).toMatch(/^… \d+ more lines$/);
  expect(lines.filter((line) => line.length > 29)).toEqual([]);
  expect(screen.output()).toMatch(/more lines\n$/);
});
