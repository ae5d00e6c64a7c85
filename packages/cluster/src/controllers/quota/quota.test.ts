import { ConfigMap, PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';

const pod = (name: string, resources: object = {}) =>
  ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources }] } }) as Pod;

const statusOf = async (world: TestCluster, name = 'q') => (await world.get(ResourceQuota, name)).status;

test('a quota says at once what is used, and follows objects as they come and go', async () => {
  await using world = await TestCluster.start();
  const hard = { pods: '2', 'requests.cpu': '1', 'limits.memory': '2Gi', configmaps: '5', 'count/services': '3' };
  await world.create(ResourceQuota, { metadata: { name: 'q' }, spec: { hard } });
  const empty = { pods: '0', 'requests.cpu': '0', 'limits.memory': '0', 'count/services': '0' };
  expect(await statusOf(world)).toEqual({ hard, used: { ...empty, configmaps: '1' } });
  const resources = { requests: { cpu: '250m' }, limits: { cpu: '500m', memory: '1Gi' } };
  await world.create(Pod, pod('a', resources));
  await world.create(ConfigMap, { metadata: { name: 'a' } });
  const used = { pods: '1', 'requests.cpu': '250m', 'limits.memory': '1Gi', configmaps: '2', 'count/services': '0' };
  expect((await statusOf(world))?.used).toEqual(used);
  await world.delete(ConfigMap, 'a');
  await world.client.of(Pod).delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
  await world.settle();
  expect((await statusOf(world))?.used).toEqual({ ...empty, configmaps: '1' });
});

test('what a failed write was charged is given back', async () => {
  await using world = await TestCluster.start();
  await world.create(ResourceQuota, { metadata: { name: 'q' }, spec: { hard: { configmaps: '9' } } });
  await world.create(ConfigMap, { metadata: { name: 'a' } });
  await expect(world.client.of(ConfigMap).create({ metadata: { name: 'a', namespace: 'default' } })).rejects.toThrow(
    'already exists',
  );
  await world.settle();
  expect((await statusOf(world))?.used).toEqual({ configmaps: '2' });
});

test('claims count by class, services by type, finished pods not at all', async () => {
  await using world = await TestCluster.start();
  const hard = {
    'requests.storage': '10Gi',
    'standard.storageclass.storage.k8s.io/requests.storage': '5Gi',
    'services.nodeports': '4',
    pods: '3',
    'count/pods': '3',
  };
  await world.create(ResourceQuota, { metadata: { name: 'q' }, spec: { hard } });
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await world.create(PersistentVolumeClaim, { metadata: { name: 'a' }, spec: claim } as PersistentVolumeClaim);
  await world.create(Service, {
    metadata: { name: 's' },
    spec: { type: 'NodePort', ports: [{ port: 80 }] },
  } as Service);
  await world.create(Pod, pod('a'));
  await world.patch(Pod, 'a', { status: { phase: 'Succeeded' } }, 'status');
  expect((await statusOf(world))?.used).toEqual({
    'requests.storage': '1Gi',
    'standard.storageclass.storage.k8s.io/requests.storage': '1Gi',
    'services.nodeports': '1',
    pods: '0',
    'count/pods': '1',
  });
});
