import { readFileSync } from 'node:fs';
import type { DynamicObject } from '@coxswain/k8s';
import { MatrixOneCluster, matrixoneOperator } from '@coxswain/operator-matrixone';
import { installCrds, isReady } from '@coxswain/runtime/apply';
import { applyAny, createDiscovery } from '@coxswain/runtime/client';
import { startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

test.each(['cluster.yaml', 'processes.yaml'])('the cluster of %s becomes ready', async (file) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const clock = new VirtualClock();
  await using cluster = await startTestCluster({ clock, controlPlane: true, kruise: true });
  const { client, namespace } = cluster;
  await installCrds(client, matrixoneOperator.crds(), { clock });
  const manager = await cluster.manager({ name: matrixoneOperator.name });
  matrixoneOperator.setup(manager);
  await manager.start();
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as DynamicObject;
    await applyAny(client, createDiscovery(client), { ...object, metadata: { ...object.metadata, namespace } });
  }
  const key = { namespace, name: 'mo' };
  const made = await cluster.until(MatrixOneCluster, key, (found) => found !== undefined && isReady(found), {
    timeout: 600_000,
  });
  expect(made?.metadata.finalizers).toBeDefined();
});
