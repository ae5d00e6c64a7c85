/**
 * Clusters of real processes over a real S3 server: backed up, restored into another, and what becomes of their data. Left out where the
 * machine has no S3 server. `./cox test matrixone` fetches one, runs all of it, and has the operator killed meanwhile.
 */
import { Namespace } from '@coxswain/k8s';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BucketClaim, LogSet, RestoreJob } from '../api/index.ts';
import { BucketWorld, bucket, hasS3 } from './test-bucket-world.ts';
import { namespace, small } from './test-world.ts';

const patience = 240_000;
const isLong = process.env['COX_MATRIXONE'] === 'long';

describe.runIf(await hasS3())('data in S3', { timeout: patience }, () => {
  let all: BucketWorld;
  let backup = '';
  const objects = (folder: string) => all.s3.list(bucket, `${folder}/`);
  const notes = async (cluster: string) => (await all.sql(cluster, 'select * from notes')).map(({ body }) => body);
  beforeAll(async () => {
    all = await BucketWorld.start();
  }, patience);
  afterAll(() => all?.[Symbol.asyncDispose]());

  test('a cluster is backed up while it serves', async () => {
    for (const neighbour of ['mo-2/data/x', 'mo.old', 'm']) await all.s3.put(bucket, neighbour, 'mine');
    await all.create('mo', 'mo', 'Delete');
    await all.world.settled();
    expect((await all.claim('mo'))?.status).toMatchObject({ state: 'InUse', bindTo: 'default/mo' });
    await all.sql('mo', 'create table notes (body text)');
    await all.sql('mo', "insert into notes values ('one'), ('two')");
    await all.backUp('bk', 'mo', 'backups/first');
    const { metadata, meta } = await all.backupOf('bk');
    backup = metadata.name;
    expect(await objects('backups/first')).toContain('backups/first/mo_meta');
    expect(meta).toMatchObject({
      sourceRef: 'matrixonecluster/default/mo',
      location: { s3: { path: 'lake/backups/first' } },
    });
    expect(JSON.parse(await all.s3.get(bucket, 'backups/first/mo_meta'))).toMatchObject({ id: meta.id });
    await all.sql('mo', "insert into notes values ('later')");
  });

  test.runIf(isLong)('a new cluster begins with the backup, restored once', async () => {
    const { client } = all.world.cluster;
    await all.create('new', 'new', 'Retain', { restoreFrom: backup });
    await all.world.until('a restore', () => client.of(RestoreJob).find({ namespace, name: 'restore-new' }));
    if (isLong) await all.world.replaceLeader();
    await all.world.settled(120, 'new');
    expect(await notes('new')).toEqual(['one', 'two']);
    expect(await notes('mo')).toEqual(['one', 'two', 'later']);
    expect(all.jobs.get('RestoreJob restore-new')?.size).toBe(1);
    expect(all.jobs.get('BackupJob bk')?.size).toBe(1);
  });

  test('deleted with the policy Delete, its data goes, and nothing else', async () => {
    const others = [...(await all.s3.list(bucket))].filter((key) => !key.startsWith('mo/'));
    expect(await objects('mo')).not.toEqual([]);
    await all.world.remove('mo');
    if (isLong) await all.world.replaceLeader();
    await all.world.until(
      'no claim',
      async () => {
        const claim = await all.claim('mo');
        if (claim === undefined) return true;
        throw new Error(JSON.stringify([claim.metadata.finalizers, claim.status]));
      },
      120,
    );
    expect(await all.s3.list(bucket)).toEqual(others);
  });

  test.runIf(isLong)('a namespace that is deleted goes with its log service, and with its data alone', async () => {
    const { client } = all.world.cluster;
    const doomed = 'doomed';
    await client.of(Namespace).create({ metadata: { name: doomed } });
    await all.createKeys(doomed);
    const { logService, version } = small;
    const sharedStorage = all.storage('doomed', 'Delete');
    const spec = { ...logService, replicas: 1, sharedStorage, image: `matrixorigin/matrixone:${version}` };
    await client.of(LogSet).create({ metadata: { namespace: doomed, name: 'log' }, spec });
    await all.world.until('a log service', async () => {
      const { status } = await client.of(LogSet).get({ namespace: doomed, name: 'log' });
      if (status?.availableStores?.length === 1) return true;
      throw new Error(JSON.stringify(status));
    });
    const others = [...(await all.s3.list(bucket))].filter((key) => !key.startsWith('doomed/'));
    await all.s3.put(bucket, 'doomed/data/x', 'its own');
    await client.of(Namespace).delete({ name: doomed });
    await all.world.until(
      'no namespace',
      async () => {
        const namespace = await client.of(Namespace).find({ name: doomed });
        if (namespace === undefined) return true;
        const [claim] = (await client.of(BucketClaim).list({ namespace: doomed })).items;
        throw new Error(JSON.stringify([claim?.status, namespace.status]));
      },
      60,
    );
    expect(await all.s3.list(bucket)).toEqual(others);
  });

  test.runIf(isLong)('deleted with the policy Retain, its data stays for the next cluster at the path', async () => {
    const before = await objects('new');
    const claim = await all.claim('new');
    await all.world.remove('new');
    const released = await all.world.until('a claim that is nobody’s', async () => {
      const one = await all.claim('new');
      return one?.status?.state === 'Released' && one;
    });
    expect(released.metadata.uid).toBe(claim?.metadata.uid);
    expect(await objects('new')).toEqual(before);
    await all.create('third', 'new', 'Delete');
    await all.world.settled(60, 'third');
    const taken = await all.claim('new');
    expect(taken?.metadata.uid).toBe(claim?.metadata.uid);
    expect(taken?.status).toMatchObject({ state: 'InUse', bindTo: 'default/third' });
    expect(await notes('third')).toEqual(['one', 'two']);
  });
});
