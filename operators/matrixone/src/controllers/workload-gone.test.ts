import { Deployment, type Kind, type KubeObject, Pod } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LABEL_COMPONENT, MatrixOneCluster, ProxySet, setLabels, WebUI } from '../api/index.ts';
import { World } from '../scenario/test-world.ts';

const namespace = 'default';
const key = { namespace, name: 'mo' };

test.each<[Kind, Kind<KubeObject>, string]>([
  [ProxySet as Kind, CloneSet as Kind, 'mo-proxy'],
  [WebUI as Kind, Deployment as Kind, 'mo-webui'],
])(
  'a $kind goes although somebody has taken away the labels by which its workload is known',
  async (kind, workload, name) => {
    await using world = await World.start();
    await world.applyExample((mo) => ({
      ...mo,
      spec: { ...mo.spec, webui: { replicas: 1, serviceType: 'ClusterIP' } },
    }));
    await world.until('the cluster is settled', () => world.settled());
    await world.stopOperator();
    const unlabelled = merge({ metadata: { labels: { [LABEL_COMPONENT]: null } } });
    await world.drive(world.client.of(workload).patch({ namespace, name }, unlabelled));
    await world.drive(world.client.of(kind).delete(key));
    await world.drive(world.client.of(MatrixOneCluster).delete(key));
    await world.startOperator();
    await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
    const left = [
      world.client.of(workload).find({ namespace, name }),
      world.client.of(Pod).list({ namespace }),
    ] as const;
    expect(await world.drive(left[0])).toBeUndefined();
    expect((await world.drive(left[1])).items).toEqual([]);
  },
);

test('a workload that somebody made by hand, of the name that ours would have, outlives a set', async () => {
  await using world = await World.start();
  const labels = setLabels('ProxySet', namespace, 'mo');
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'own:1' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const own = { namespace, name: 'mo-proxy' };
  const byHand = { metadata: own, spec } as unknown as CloneSet;
  await world.drive(world.client.of(CloneSet).create(byHand, { fieldManager: 'by-hand' }));
  await world.applyExample();
  await world.clock.advance(60_000);
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.clock.advance(120_000);
  expect((await world.drive(world.client.of(CloneSet).get(own))).metadata.deletionTimestamp).toBeUndefined();
});
