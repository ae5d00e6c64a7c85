import { readFileSync } from 'node:fs';
import { type DynamicObject, type Kind, PersistentVolumeClaim, Pod, StatefulSet } from '@coxswain/k8s';
import { applyAny, createDiscovery } from '@coxswain/runtime/client';
import { startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

const text = readFileSync(new URL('./postgres.yaml', import.meta.url), 'utf8');

test('the manifests bring up three servers, each with a volume of its own', async () => {
  await using cluster = await startTestCluster({ clock: new VirtualClock(), controlPlane: true });
  const { client, namespace } = cluster;
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as DynamicObject;
    await applyAny(client, createDiscovery(client), { ...object, metadata: { ...object.metadata, namespace } });
  }
  await cluster.until(StatefulSet, { namespace, name: 'pg' }, (set) => set?.status?.readyReplicas === 3);
  const names = async (kind: Kind) =>
    (await client.of(kind).list({ namespace })).items.map(({ metadata }) => metadata.name);
  expect(await names(Pod)).toEqual(['pg-0', 'pg-1', 'pg-2']);
  expect(await names(PersistentVolumeClaim)).toHaveLength(3);
});
