import { Event, Pod, Secret } from '@coxswain/k8s';
import { findCondition } from '@coxswain/runtime/apply';
import { json, type Transport } from '@coxswain/runtime/client';
import { ApiError } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { LogSet } from '../api/index.ts';
import { BucketWorld } from './test-world.ts';

const key = (name: string) => ({ namespace: 'default', name });

/** Refuses what is asked of Secrets while `isShut`, as RBAC does. */
function withoutSecrets(inner: Transport, isShut: () => boolean): Transport {
  return {
    async send(request) {
      if (!isShut() || !/\/secrets\b/.test(request.path)) return inner.send(request);
      const message = 'secrets "keys" is forbidden: User "matrixone-operator" cannot get resource "secrets"';
      throw new ApiError({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code: 403,
        reason: 'Forbidden',
        message,
      });
    },
    watch: (request) => inner.watch(request),
    close: () => inner.close(),
  };
}

async function createLogSet(world: BucketWorld): Promise<void> {
  const stringData = { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' };
  await world.drive(world.client.of(Secret).create({ metadata: key('keys'), stringData }));
  const s3 = { type: 'minio', endpoint: 'http://minio.store:9000', path: 'lake/prod', secretRef: { name: 'keys' } };
  const spec = {
    replicas: 3,
    image: 'matrixorigin/matrixone:2.1.0',
    volume: { size: '1Gi' },
    sharedStorage: { s3 },
    initialConfig: { logShards: 1, dnShards: 1, logShardReplicas: 3 },
    storeFailureTimeout: '20s',
  };
  await world.drive(world.client.of(LogSet).create({ metadata: key('mo'), spec }));
}

test('where credentials may not be copied it is said, once, and all else goes on', async () => {
  await using world = await BucketWorld.start();
  let isShut = true;
  let writes = 0;
  await world.startOperator({
    through: (inner) => {
      const open = withoutSecrets(inner, () => isShut);
      return {
        ...open,
        send(request) {
          if (request.method !== 'GET') writes++;
          return open.send(request);
        },
      };
    },
  });
  await createLogSet(world);
  await world.until('it is ready', () => world.isReady('mo'));
  const [claim] = await world.claims();
  expect(claim?.metadata.annotations).toEqual({ 'bucket.matrixorigin.io/any-instance-running': 'true' });
  const says = async () => {
    const logSet = await world.logSet('mo');
    return logSet && findCondition(logSet, 'CredentialsNotKept')?.message;
  };
  expect(await says()).toBe(
    'what leads to the data at S3 path lake/prod could not be copied: secrets "keys" is forbidden: User "matrixone-operator" cannot get resource "secrets"; if its Secrets go before the data, it is not removed: let the operator read and write Secrets here',
  );
  const broken = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch(key('mo-log-1'), broken));
  await world.until('the store is replaced', async () =>
    (await world.pods()).some(({ metadata }) => metadata.name === 'mo-log-3'),
  );
  await world.until('it is ready', () => world.isReady('mo'));
  await world.clock.advance(120_000);
  writes = 0;
  await world.clock.advance(1_800_000);
  expect(writes).toBe(0);
  const { items } = await world.drive(world.client.of(Event).list({ namespace: 'default' }));
  const told = items.filter(({ reason }) => reason === 'CredentialsNotKept');
  expect(told.map(({ regarding, series, type }) => [regarding?.kind, type, series])).toEqual([
    ['LogSet', 'Warning', undefined],
  ]);
  isShut = false;
  await world.until('they are kept', async () => {
    const copy = await world.drive(world.client.of(Secret).find(key(claim?.metadata.name ?? '')));
    return copy !== undefined && (await says()) === undefined;
  });
});

test('an operator that may not see Secrets holds no claim', async () => {
  await using world = await BucketWorld.start();
  await world.startOperator({ through: (inner) => withoutSecrets(inner, () => true) });
  await createLogSet(world);
  await world.until('it is ready', () => world.isReady('mo'));
  await world.deleteLogSet('mo');
  await world.until('the data is removed', async () => (await world.claims()).length === 0);
});
