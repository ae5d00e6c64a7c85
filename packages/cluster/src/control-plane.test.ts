/** The control plane has no more rights than it was given; here it must show that they suffice. */
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Endpoints,
  Job,
  type Kind,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ResourceQuota,
  Secret,
  Service,
  StatefulSet,
} from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { expect, test } from 'vitest';
import { controlPlaneUsers, masters } from './apiserver/authorization/index.ts';
import { TestCluster, template } from './controllers/test-cluster.ts';

const labels = { app: 'a' };
const selector = { matchLabels: labels };
const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const claims = [{ metadata: { name: 'data' }, spec: storage }];
const image = (name: string) => ({ spec: { template: template(labels, name) } });

/** Lines of the metrics that tell of refused requests. */
async function refusals(world: TestCluster): Promise<readonly string[]> {
  const text = String(await world.client.raw({ method: 'GET', path: '/metrics' }));
  expect(text).toContain('apiserver_request_total{');
  return text.split('\n').filter((line) => line.startsWith('apiserver_request_total{') && line.includes('code="403"'));
}

async function workloads(world: TestCluster): Promise<void> {
  const set = { replicas: 2, selector, template: template(labels), volumeClaimTemplates: claims };
  await world.create(Deployment, {
    metadata: { name: 'd' },
    spec: { replicas: 2, selector, template: template(labels) },
  });
  await world.create(StatefulSet, { metadata: { name: 's' }, spec: { ...set, serviceName: 's' } });
  await world.create(CloneSet, { metadata: { name: 'c' }, spec: set });
  const once = template({ job: 'j' }, 'app:1', { restartPolicy: 'Never' });
  await world.create(Job, { metadata: { name: 'j' }, spec: { template: once, ttlSecondsAfterFinished: 1 } });
  await world.create(PodDisruptionBudget, { metadata: { name: 'b' }, spec: { selector, minAvailable: 1 } });
  await world.create(Service, { metadata: { name: 's' }, spec: { selector: labels, ports: [{ port: 1 }] } });
  await world.create(Service, { metadata: { name: 'm' }, spec: { ports: [{ port: 1 }] } });
  const subsets = [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 1 }] }];
  await world.create(Endpoints, { metadata: { name: 'm' }, subsets });
  await world.create(ResourceQuota, { metadata: { name: 'q' }, spec: { hard: { pods: '100' } } });
  await world.advance(60);
}

async function changes(world: TestCluster): Promise<void> {
  for (const [kind, name] of [
    [Deployment, 'd'],
    [StatefulSet, 's'],
    [CloneSet, 'c'],
  ] as readonly (readonly [Kind, string])[]) {
    await world.patch(kind, name, image('app:2'));
    await world.advance(60);
    await world.patch(kind, name, { spec: { replicas: 1 } });
    await world.patch(kind, name, image('app:1'));
    await world.advance(60);
  }
  await world.patch(Endpoints, 'm', { subsets: [{ addresses: [{ ip: '10.9.9.8' }], ports: [{ port: 1 }] }] });
  const [node = ''] = await world.names(Node);
  await world.patch(Node, node, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 'status');
  await world.advance(60);
}

async function endings(world: TestCluster): Promise<void> {
  await world.create(Namespace, { metadata: { name: 'team' } });
  const held = { name: 'held', namespace: 'team', finalizers: ['test/hold'] };
  await world.create(ConfigMap, { metadata: held });
  await world.create(Secret, { metadata: { name: 's', namespace: 'team' } });
  await world.create(Pod, { ...template(labels), metadata: { name: 'p', namespace: 'team' } } as Pod);
  await world.delete(Namespace, 'team');
  await world.advance(60);
  await world.client.of(ConfigMap).patch(held, { type: 'merge', body: { metadata: { finalizers: null } } });
  await world.advance(60);
  expect(await world.find(Namespace, 'team')).toBeUndefined();
  await world.delete(Deployment, 'd', 'Foreground');
  await world.delete(StatefulSet, 's', 'Orphan');
  await world.delete(CloneSet, 'c', 'Background');
  for (const name of await world.names(PersistentVolumeClaim)) await world.delete(PersistentVolumeClaim, name);
  for (const name of await world.names(Service)) await world.delete(Service, name);
  for (const name of await world.names(Node)) await world.delete(Node, name);
  await world.advance(600);
}

test('no part of the control plane is refused anything in the life of a cluster', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await workloads(world);
  await changes(world);
  await endings(world);
  expect(await refusals(world)).toEqual([]);
});

test('a controller that lacks a right is seen, and works again when it has it', async () => {
  await using world = await TestCluster.start();
  const name = 'coxswain:controllers';
  const binding = await world.get(ClusterRoleBinding, name);
  await world.delete(ClusterRoleBinding, name);
  await world.create(Deployment, {
    metadata: { name: 'd' },
    spec: { replicas: 1, selector, template: template(labels) },
  });
  await world.advance(5);
  expect((await refusals(world)).join()).toContain('resource="deployments"');
  const { roleRef, subjects = [] } = binding;
  await world.create(ClusterRoleBinding, { metadata: { name }, roleRef, subjects });
  await world.advance(60);
  expect((await world.get(Deployment, 'd')).status?.readyReplicas).toBe(1);
  world.errors.splice(0);
});

test('nobody in it is a master, or may give rights away', async () => {
  expect(Object.values(controlPlaneUsers).flatMap(({ groups }) => [...groups])).not.toContain(masters);
  await using world = await TestCluster.start();
  for (const user of Object.values(controlPlaneUsers)) {
    const client = world.cluster.clientAs(user);
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    const made = world.drive(client.of(ClusterRole).create({ metadata: { name: 'more' }, rules }));
    await expect(made).rejects.toMatchObject({ code: 403 });
  }
});
