import { ConfigMap, type OwnerReference, Secret } from '@coxswain/k8s';
import { controllerOf } from '@coxswain/runtime/controller';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const credential = { namespace: 'default', name: 'mo-credential' };

const ownerUid = async (world: World) => controllerOf(await world.drive(world.client.of(Secret).get(credential)))?.uid;

test('a cluster that is made anew at once waits for the credential of the one before to go, and has its own', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const clusters = world.client.of(MatrixOneCluster);
  const before = await world.drive(clusters.get(key));
  const match = { verb: 'delete', resource: 'secrets', user: 'system:kube-*' } as const;
  world.embedded.faults.add({ match, action: { latency: 20_000 } });
  await world.drive(clusters.delete(key));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  const { operatorVersion: _, ...spec } = before.spec;
  const after = await world.drive(clusters.create({ metadata: key, spec }));
  await world.clock.advance(10_000);
  expect(await ownerUid(world)).toBe(before.metadata.uid);
  const waiting = await world.drive(clusters.get(key));
  expect(waiting.status?.credentialRef).toBeUndefined();
  expect(waiting.status?.conditions?.find(({ type }) => type === 'Synced')).toMatchObject({
    status: 'False',
    reason: 'Waiting',
    message: 'Secret mo-credential of the MatrixOneCluster mo before has to go first',
  });
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  expect(await ownerUid(world)).toBe(after.metadata.uid);
  const settled = await world.drive(clusters.get(key));
  expect(settled.status?.credentialRef).toEqual({ name: 'mo-credential' });
});

test('a credential that something else keeps, as one out of a vault, is taken as it is', async () => {
  await using world = await World.start();
  const keeper = await world.drive(world.client.of(ConfigMap).create({ metadata: { ...key, name: 'vault' } }));
  const { name, uid = '' } = keeper.metadata;
  const owner: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
  const metadata = { ...credential, ownerReferences: [owner] };
  await world.drive(world.client.of(Secret).create({ metadata, stringData: { username: 'root', password: 'mine' } }));
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  expect(await ownerUid(world)).toBe(uid);
  expect((await world.drive(world.cluster()))?.status?.credentialRef).toEqual({ name: 'mo-credential' });
});

test('a credential that somebody takes away later is not made again: its password may have been changed', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.drive(world.client.of(Secret).delete(credential));
  await world.stopOperator();
  await world.startOperator();
  await world.clock.advance(600_000);
  expect(await world.drive(world.client.of(Secret).find(credential))).toBeUndefined();
  expect(await world.drive(world.settled())).toBe(true);
});
