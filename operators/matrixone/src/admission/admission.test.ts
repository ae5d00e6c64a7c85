import type { KubeObject } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import type { Resource } from '@coxswain/schema';
import { startTestCluster, type TestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { BucketClaim, CNSet, DNSet, LABEL_BUCKET_ID, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { chartServiceArgs } from '../defaults/index.ts';
import { bucketUniqueId } from '../identity/index.ts';
import { matrixoneOperator } from '../operator.ts';
import { admit, refusal } from './test-admit.ts';
import { objectOf, type Row, rows, valid } from './test-rows.ts';

/** Asks the server for the verdict on a row, which stores nothing. */
async function verdict(world: TestCluster, row: Row, i: number, base: ReadonlyMap<Row, string>) {
  const { namespace, client } = world;
  if (!row.from) {
    const object = objectOf(row, row.name ?? `o${i}`, namespace, row.change);
    return refusal(client.of(row.kind).create(object, { dryRun: true }));
  }
  const name = base.get(row) ?? '';
  const { metadata } = await client.of(row.kind).get({ namespace, name });
  const object = { ...objectOf(row, name, namespace, row.change), metadata };
  return refusal(client.of(row.kind).update(object, { dryRun: true }));
}

/** Stores what the rows change. */
async function storeBases({ client, namespace }: TestCluster): Promise<ReadonlyMap<Row, string>> {
  const names = new Map<Row, string>();
  for (const [i, row] of rows.entries()) {
    if (!row.from) continue;
    await client.of(row.kind).create(objectOf(row, `u${i}`, namespace, row.from));
    names.set(row, `u${i}`);
  }
  return names;
}

/** Rows whose verdict is not what it should be. */
async function surprises(world: TestCluster, base: ReadonlyMap<Row, string>, isRefused: (row: Row) => boolean) {
  const wrong: unknown[] = [];
  for (const [i, row] of rows.entries()) {
    const causes = await verdict(world, row, i, base);
    const told = causes.some(({ field, message = '' }) => field === row.field && message.endsWith(row.says));
    if (isRefused(row) ? told : causes.length === 0) continue;
    wrong.push({ rule: `${row.kind.kind} ${row.rule}`, wanted: isRefused(row) && [row.field, row.says], causes });
  }
  return wrong;
}

test('the CRDs refuse what they can alone, and the webhooks the rest: every rule, its field and its words [case 36, 39, 40, 41, 43, 45, 54, 55, 67]', async () => {
  await using world = await startTestCluster();
  await installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock });
  const base = await storeBases(world);
  expect(await surprises(world, base, ({ by }) => by === 'crd')).toEqual([]);
  await admit(world);
  expect(await surprises(world, base, () => true)).toEqual([]);
  await acceptsAndFills(world);
  await asksForBuckets(world);
});

/** Valid objects are taken, and stored with what they mean. */
async function acceptsAndFills(world: TestCluster): Promise<void> {
  for (const kind of valid.keys()) {
    const object = objectOf({ kind }, 'fine', world.namespace, {});
    expect(await refusal(world.client.of(kind).create(object)), kind.kind).toEqual([]);
  }
  const cluster = await world.client.of(MatrixOneCluster).get({ namespace: world.namespace, name: 'fine' });
  expect(cluster.spec).toMatchObject({
    operatorVersion: '1.3.0',
    logService: {
      initialConfig: { logShards: 1, dnShards: 1, logShardReplicas: 3 },
      storeFailureTimeout: '10m0s',
      pvcRetentionPolicy: 'Delete',
    },
  });
  const log = await world.client.of(LogSet).get({ namespace: world.namespace, name: 'fine' });
  expect(log.spec.pvcRetentionPolicy).toBe('Delete');
  const proxy = await world.client.of(ProxySet).get({ namespace: world.namespace, name: 'fine' });
  expect(proxy.spec.serviceArgs).toEqual(chartServiceArgs.proxy);
  await acceptsOlder(world);
  const odd = objectOf({ kind: LogSet }, 'odd', world.namespace, { spec: { config: { log: { level: 'info' } } } });
  const [cause] = await refusal(world.client.of<KubeObject>(LogSet).create(odd));
  expect(cause).toMatchObject({ field: 'spec.config', reason: 'FieldValueTypeInvalid' });
  const secret = objectOf({ kind: LogSet }, 'secret', world.namespace, { spec: { config: 'key = "secret' } });
  const [told] = await refusal(world.client.of<KubeObject>(LogSet).create(secret));
  expect(told?.message).toMatch(/^Invalid value: "\(not shown\)": line 1/);
}

/** What was applied to the first operators, before versions, transaction nodes by their name, groups and policies: taken as it is. */
async function acceptsOlder({ client, namespace }: TestCluster): Promise<void> {
  const node = { replicas: 2, cacheVolume: { size: '10Gi' } };
  const change = { spec: { tn: null, dn: node, tp: { ...node, role: 'TP' }, ap: { ...node, role: 'AP' } } };
  const cluster = objectOf({ kind: MatrixOneCluster }, 'older', namespace, change);
  expect(await refusal(client.of<KubeObject>(MatrixOneCluster).create(cluster))).toEqual([]);
  for (const kind of [LogSet, DNSet, CNSet] as const) {
    const volume = { cacheVolume: { size: '10Gi', memoryCacheSize: '1Gi' }, image: 'matrixorigin/matrixone:v1.2.3' };
    const object = objectOf({ kind }, 'older', namespace, { spec: kind === LogSet ? {} : volume });
    expect(await refusal(client.of<KubeObject>(kind).create(object)), kind.kind).toEqual([]);
  }
}

/** An S3 path is one log service's: its claim is looked up wherever it is. */
async function asksForBuckets({ client, namespace }: TestCluster): Promise<void> {
  const s3 = { path: `claimed-${namespace}/x` };
  const labels = { [LABEL_BUCKET_ID]: bucketUniqueId(s3) };
  const claim = await client.of(BucketClaim).create({
    metadata: { namespace, name: 'bucket-1', labels, finalizers: ['test.dev/keep'] },
    spec: { s3, logSetSpec: {} },
    status: { state: 'InUse', bindTo: `${namespace}/other` },
  });
  const asked = async (kind: Resource, change: object) => {
    const object = objectOf({ kind }, 'mine', namespace, { spec: change });
    return (await refusal(client.of(kind).create(object, { dryRun: true }))).map(({ field, message }) => [
      field,
      message,
    ]);
  };
  const storage = { sharedStorage: { s3 } };
  const claimed = `claimed bucket ${namespace}/bucket-1 already bind to ${namespace}/other`;
  const taken = `Invalid value: "${s3.path}": ${claimed}`;
  expect(await asked(LogSet, storage)).toEqual([['spec.sharedStorage.s3', taken]]);
  expect(await asked(MatrixOneCluster, { logService: storage })).toEqual([['spec.logService.sharedStorage.s3', taken]]);
  const within = { sharedStorage: { s3: { type: 'aws', path: `/claimed-${namespace}//x/y` } } };
  const overlaps = `Invalid value: "/claimed-${namespace}//x/y": ${claimed}, at path ${s3.path}`;
  expect(await asked(LogSet, within)).toEqual([['spec.sharedStorage.s3', overlaps]]);
  await client.of(BucketClaim).update({ ...claim, status: { state: 'Released', bindTo: '' } });
  expect(await asked(LogSet, storage)).toEqual([]);
  await client.of(BucketClaim).delete({ namespace, name: 'bucket-1' });
  const going = `Invalid value: "${s3.path}": claimed bucket ${namespace}/bucket-1 state is deleting`;
  expect(await asked(LogSet, storage)).toEqual([['spec.sharedStorage.s3', going]]);
  const { metadata } = await client.of(BucketClaim).get({ namespace, name: 'bucket-1' });
  const { finalizers: _, ...rest } = metadata;
  await client.of(BucketClaim).update({ ...claim, metadata: rest });
}
