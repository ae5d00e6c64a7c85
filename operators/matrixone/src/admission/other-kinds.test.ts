import type { KubeObject } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { ApiError } from '@coxswain/runtime/core';
import type { Resource } from '@coxswain/schema';
import { startTestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { Backup, BackupJob, BucketClaim, CNClaim, CNClaimSet, CNPool, CNSet, RestoreJob } from '../api/index.ts';
import { matrixoneOperator } from '../operator.ts';

type Fields = Readonly<Record<string, unknown>>;

const target = { s3: { path: 'lake/backup' } };
const time = '2026-01-01T00:00:00Z';
const meta = { location: target, id: 'a', atTime: time, completeTime: time, sourceRef: 'ns/mo', raw: 'a' };
const strategy = { updateStrategy: {}, scaleStrategy: { maxIdle: 1 } };
const selector = { matchLabels: { a: 'b' } };
const pool = { template: { image: 'mo:2.1.0' }, deps: { logSet: { metadata: { name: 'mo' } } }, strategy };

/** A kind without webhooks, an object that is right, and changes that make it wrong, by the field that is told. */
const table: readonly (readonly [Resource, Fields, Readonly<Record<string, Fields>>])[] = [
  [
    BucketClaim as Resource,
    { spec: { s3: target.s3, logSetSpec: { spec: {} } }, status: { bindTo: '', state: 'Released' } },
    { 'spec.s3': { spec: { logSetSpec: {} } }, 'status.state': { status: { bindTo: '', state: 'Lost' } } },
  ],
  [
    BackupJob as Resource,
    { spec: { source: { clusterRef: 'mo' }, target, overlay: { command: ['x'], env: [{ name: 'A', value: 'b' }] } } },
    {
      'spec.source': { spec: { target } },
      'spec.target': { spec: { source: {}, target: {} } },
      'spec.overlay.imagePullPolicy': { spec: { source: {}, target, overlay: { imagePullPolicy: 'Often' } } },
    },
  ],
  [
    Backup as Resource,
    { meta },
    {
      meta: {},
      'meta.atTime': { meta: { ...meta, atTime: 'noon' } },
      'meta.location': { meta: { ...meta, location: {} } },
    },
  ],
  [
    RestoreJob as Resource,
    { spec: { backupName: 'a', target }, overlay: { args: ['x'] } },
    {
      'spec.target': { spec: { backupName: 'a' } },
      'overlay.imagePullPolicy': { spec: { target }, overlay: { imagePullPolicy: '' } },
    },
  ],
  [
    CNPool as Resource,
    { spec: pool },
    {
      'spec.strategy.scaleStrategy.maxIdle': { spec: { ...pool, strategy: { updateStrategy: {}, scaleStrategy: {} } } },
      spec: {},
    },
  ],
  [
    CNClaim as Resource,
    { spec: { selector, cnLabels: [{ key: 'a', values: ['b'] }] } },
    { 'spec.selector': { spec: {} } },
  ],
  [
    CNClaimSet as Resource,
    { spec: { replicas: 1, template: { spec: { selector } } } },
    {
      'spec.replicas': { spec: { template: {} } },
      'spec.template.spec.selector': { spec: { replicas: 1, template: { spec: {} } } },
    },
  ],
];

const fieldsOf = async (call: Promise<unknown>): Promise<readonly (string | undefined)[]> => {
  try {
    await call;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    return error.status.details?.causes?.map(({ field }) => field) ?? [];
  }
};

test('the kinds without webhooks are held to their form by the CRDs alone', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  await installCrds(client, matrixoneOperator.crds(), { clock: world.clock });
  for (const [kind, right, wrong] of table) {
    const scope = kind.scope === 'Namespaced' ? { namespace } : {};
    const create = (fields: Fields) => {
      const metadata = { ...scope, name: `${namespace}-a` };
      return client.of<KubeObject>(kind).create({ metadata, ...fields }, { dryRun: true });
    };
    expect(await fieldsOf(create(right)), kind.kind).toEqual([]);
    for (const [field, fields] of Object.entries(wrong)) {
      expect(await fieldsOf(create(fields)), `${kind.kind} ${field}`).toContain(field);
    }
  }
  const job = await client.of(BackupJob).create({ metadata: { namespace, name: 'a' }, ...table[1]?.[1] } as BackupJob);
  expect(job.spec.overlay).toEqual({
    command: ['x'],
    env: [{ name: 'A', value: 'b' }],
    imagePullPolicy: 'IfNotPresent',
  });
});

test('sets of claims and of compute nodes are scaled by their subresource', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  await installCrds(client, matrixoneOperator.crds(), { clock: world.clock });
  const key = { namespace, name: 'a' };
  const spec = { replicas: 1, template: { spec: { selector } } };
  await client.of(CNClaimSet).create({ metadata: key, spec });
  const deps = { logSet: { metadata: { name: 'mo' } } };
  await client.of(CNSet).create({ metadata: key, spec: { replicas: 1, serviceType: 'ClusterIP' }, deps });
  for (const kind of [CNClaimSet, CNSet]) {
    const status = { replicas: 1, readyReplicas: 1, labelSelector: 'a=b' };
    const sets = client.of<KubeObject>(kind);
    await sets.patchStatus(key, merge({ status }));
    await sets.scale.patch(key, merge({ spec: { replicas: 3 } }));
    const { spec: wanted, status: present } = await sets.scale.get(key);
    expect([wanted, present], kind.kind).toEqual([{ replicas: 3 }, { replicas: 1, selector: 'a=b' }]);
  }
});
