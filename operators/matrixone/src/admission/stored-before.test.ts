import type { KubeObject } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import type { Resource } from '@coxswain/schema';
import { startTestCluster, type TestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { BucketClaim, CNSet, LogSet, MatrixOneCluster } from '../api/index.ts';
import { matrixoneOperator } from '../operator.ts';
import { admit, refusal } from './test-admit.ts';
import { objectOf } from './test-rows.ts';

const create = ({ client, namespace }: TestCluster, kind: Resource, name: string, spec: object) =>
  client.of<KubeObject>(kind).create(objectOf({ kind }, name, namespace, { spec }));

const patch = ({ client, namespace }: TestCluster, kind: Resource, name: string, change: object) =>
  refusal(client.of<KubeObject>(kind).patch({ namespace, name }, merge(change)));

test('what was stored before there were webhooks can be changed beside what is wrong with it', async () => {
  await using world = await startTestCluster();
  await installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock });
  const { client, namespace } = world;
  const logs = LogSet as Resource;
  const clusters = MatrixOneCluster as Resource;
  const twice = { name: 'a', emptyDir: {}, hostPath: { path: '/x' } };
  await create(world, logs, 'overlaid', { overlay: { volumes: [twice] } });
  const s3 = { path: `lake-${namespace}/x` };
  await create(world, clusters, 'within', { logService: { sharedStorage: { s3 } } });
  await create(world, clusters, 'g'.repeat(40), { cnGroups: [{ name: 'n'.repeat(10), replicas: 1 }] });
  await client.of(BucketClaim).create({
    metadata: { namespace, name: 'around' },
    spec: { s3: { path: `lake-${namespace}` }, logSetSpec: {} },
    status: { state: 'InUse', bindTo: `${namespace}/other` },
  });
  await admit(world);

  // As a controller does that adds its finalizer: defaults are filled in on the way.
  const note = { metadata: { annotations: { seen: 'yes' } } };
  expect(await patch(world, logs, 'overlaid', note)).toEqual([]);
  expect(await patch(world, clusters, 'within', note)).toEqual([]);
  expect(await patch(world, clusters, 'within', { spec: { tn: { replicas: 2 } } })).toEqual([]);
  expect(await patch(world, clusters, 'g'.repeat(40), { spec: { tn: { replicas: 2 } } })).toEqual([]);
  const [cause] = await patch(world, logs, 'overlaid', { spec: { overlay: { volumes: [{ ...twice, name: 'b' }] } } });
  expect(cause?.field).toBe('spec.overlay.volumes[0].hostPath');
});

test('what is wrong with an object, and was before, opens no other door', async () => {
  await using world = await startTestCluster();
  await installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock });
  const spec = { image: 'mo:nightly', operatorVersion: '1.3.0', resources: { requests: { memory: '1e1.5' } } };
  await create(world, CNSet as Resource, 'a', spec);
  await admit(world);
  const [cause] = await patch(world, CNSet as Resource, 'a', { spec: { operatorVersion: '1.2.0' } });
  expect(cause?.field).toBe('spec.operatorVersion');
  expect(await patch(world, CNSet as Resource, 'a', { spec: { replicas: 2 } })).toEqual([]);
});

test('a cluster whose operator version is lowered is refused before any of its sets has changed', async () => {
  await using world = await startTestCluster();
  await installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock });
  await admit(world);
  await create(world, MatrixOneCluster as Resource, 'mo', { cnGroups: [{ name: 'a', replicas: 1 }] });
  for (const operatorVersion of ['1.2.0', null]) {
    const [cause] = await patch(world, MatrixOneCluster as Resource, 'mo', { spec: { operatorVersion } });
    expect(cause?.field).toBe('spec.operatorVersion');
  }
});

test('what only looks like an amount, an overlay or a name is told at its place', async () => {
  await using world = await startTestCluster();
  await installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock });
  await admit(world);
  const asked = async (spec: object, name = 'a') =>
    (await refusal(create(world, LogSet as Resource, name, spec))).map(({ field }) => field);
  expect(await asked({ resources: { requests: { memory: '1e1000' } } })).toEqual(['spec.resources']);
  expect(await asked({ overlay: 'abc' })).toEqual(['spec.overlay']);
  expect(await asked({ config: `${'a.'.repeat(5_000)}a = 1` })).toEqual(['spec.config']);
  expect(await asked({}, 'a.b')).toEqual(['metadata.name']);
});
