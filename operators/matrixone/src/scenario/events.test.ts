import { Event, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LogSet, MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };

/** What has been told so far, as `Kind name Reason: message`. */
async function told(world: World): Promise<readonly string[]> {
  await world.clock.advance(5_000);
  const { items } = await world.drive(world.client.of(Event).list({ namespace: 'default' }));
  return items
    .filter(({ reportingController }) => reportingController?.startsWith('matrixone-operator'))
    .map(({ regarding, reason, note }) => `${regarding?.kind} ${regarding?.name} ${reason}: ${note}`);
}

async function worldOf(logService: object): Promise<World> {
  const world = await World.start();
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, ...logService } },
  }));
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

async function breakPod(world: World, name: string): Promise<void> {
  const image = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch({ namespace: 'default', name }, image));
}

test('each decision is told once: making, scaling, rolling out, growing, refusing', async () => {
  await using world = await worldOf({});
  const patch = async (spec: object) => {
    await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec })));
    await world.clock.advance(60_000);
  };
  expect(await told(world)).toEqual(
    expect.arrayContaining([
      'LogSet mo Created: StatefulSet mo-log is made, of 3 pods',
      'CNSet mo-tp Created: CloneSet mo-tp-cn is made, of 2 pods',
      'ProxySet mo Created: CloneSet mo-proxy is made, of 1 pod',
    ]),
  );
  await patch({ proxy: { replicas: 2, config: 'x = 1\n' }, logService: { volume: { size: '20Gi' } } });
  const lines = await told(world);
  expect(lines).toEqual(
    expect.arrayContaining([
      'ProxySet mo Scaled: CloneSet mo-proxy is scaled from 1 to 2 pods',
      'ProxySet mo RolloutStarted: CloneSet mo-proxy gets new pods, or the old ones restarted',
    ]),
  );
  const grown = lines.filter((line) => line.startsWith('LogSet mo VolumeGrows'));
  const claims = await world.drive(world.client.of(PersistentVolumeClaim).list({ namespace: 'default' }));
  const names = claims.items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('mo-data-mo-log'));
  expect(grown.map((line) => line.split(' ')[4]).sort()).toEqual(names.sort());
  await patch({ proxy: { config: 'x =' } });
  const refused = (await told(world)).filter((line) => line.includes('SpecInvalid'));
  expect(refused).toEqual([expect.stringContaining('MatrixOneCluster mo SpecInvalid: spec.proxy.config')]);
  await world.clock.advance(600_000);
  expect((await told(world)).filter((line) => line.includes('SpecInvalid'))).toEqual(refused);
});

test('of failures: who is down, who is replaced, why not, and what to do; and of what is cleaned up', async () => {
  await using world = await worldOf({ storeFailureTimeout: '20s', failedPodStrategy: 'Orphan' });
  await breakPod(world, 'mo-log-1');
  await world.clock.advance(30_000);
  await world.until('the cluster is settled', () => world.settled());
  await breakPod(world, 'mo-log-0');
  await world.clock.advance(60_000);
  const lines = await told(world);
  expect(lines).toEqual(
    expect.arrayContaining([
      'LogSet mo StoreDown: mo-log-1 is down',
      expect.stringMatching(/^LogSet mo StoreReplaced: log store mo-log-1 was down for 20s/),
      'LogSet mo StoreUp: mo-log-3 is up',
      expect.stringMatching(/^LogSet mo FailoverBlocked: .*matrixorigin\.io\/confirm-failover=mo-log-0: .*backup/),
    ]),
  );
  expect(lines.filter((line) => line.includes('FailoverBlocked'))).toHaveLength(1);
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.until('the log service is gone', async () => (await world.client.of(LogSet).find(key)) === undefined);
  expect(await told(world)).toContain(
    'LogSet mo OrphanReleased: mo-log-1, kept for a post-mortem, goes with its LogSet',
  );
});
