import { readFileSync } from 'node:fs';
import { ConfigMap, type DynamicObject } from '@coxswain/k8s';
import { MatrixOneCluster } from '@coxswain/operator-matrixone';
import { installCrds, isReady } from '@coxswain/runtime/apply';
import { applyAny, createDiscovery } from '@coxswain/runtime/client';
import { startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { operators } from './operators.ts';

const file = new URL('../../../../examples/matrixone/processes.yaml', import.meta.url);

test('compute nodes of a group that is drained begin in service: nobody here would put them there', async () => {
  const clock = new VirtualClock();
  await using cluster = await startTestCluster({ clock, controlPlane: true, kruise: true });
  const { client, namespace } = cluster;
  for (const operator of operators) {
    await installCrds(client, operator.crds(), { clock });
    const manager = await cluster.manager({ name: operator.name });
    operator.setup(manager);
    await manager.start();
  }
  const example = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as DynamicObject);
  for (const object of example) {
    await applyAny(client, createDiscovery(client), { ...object, metadata: { ...object.metadata, namespace } });
  }
  const { spec } = await client.of(MatrixOneCluster).get({ namespace, name: 'mo' });
  expect(spec.cnGroups?.[0]?.scalingConfig?.storeDrainEnabled).toBe(true);
  await cluster.until(MatrixOneCluster, { namespace, name: 'mo' }, (found) => found !== undefined && isReady(found), {
    timeout: 600_000,
  });
  const { data } = await client.of(ConfigMap).get({ namespace, name: 'mo-tp-cn-config' });
  expect(Object.values(data ?? {}).join('\n')).not.toContain('init-work-state');
});
