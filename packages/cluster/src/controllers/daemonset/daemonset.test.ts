import { ControllerRevision, DaemonSet, type DaemonSetSpec, Node, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';

const app = { app: 'agent' };

function daemons(more: Partial<DaemonSetSpec> = {}): DaemonSet {
  const spec = { selector: { matchLabels: app }, template: template(app), ...more };
  return { metadata: { name: 'agent' }, spec };
}

async function placed(world: TestCluster): Promise<readonly string[]> {
  return (await world.list(Pod)).map(({ spec }) => spec?.nodeName ?? '').sort();
}

async function images(world: TestCluster): Promise<readonly string[]> {
  return (await world.list(Pod)).map(({ spec }) => spec?.containers[0]?.image ?? '').sort();
}

test('a pod on each node, with the status and the events that tell it', async () => {
  await using world = await TestCluster.start({ nodes: 3 });
  await world.create(DaemonSet, daemons());
  await world.advance(5);
  const nodes = await world.names(Node);
  expect(await placed(world)).toEqual([...nodes].sort());
  const [pod] = await world.list(Pod);
  expect(pod?.metadata.labels).toMatchObject({ 'pod-template-generation': '1' });
  const [revision] = await world.list(ControllerRevision);
  const hash = revision?.metadata.labels?.['controller-revision-hash'];
  expect(revision?.metadata.name).toBe(`agent-${hash}`);
  expect(pod?.metadata.labels?.['controller-revision-hash']).toBe(hash);
  expect((await world.get(DaemonSet, 'agent')).status).toEqual({
    currentNumberScheduled: 3,
    desiredNumberScheduled: 3,
    numberAvailable: 3,
    numberMisscheduled: 0,
    numberReady: 3,
    observedGeneration: 1,
    updatedNumberScheduled: 3,
  });
  expect(await world.events('SuccessfulCreate')).toHaveLength(3);
});

test('labels and taints of nodes decide, whenever they change', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  const [first = '', second = ''] = await world.names(Node);
  await world.create(DaemonSet, daemons({ template: template(app, 'app:1', { nodeSelector: { disk: 'ssd' } }) }));
  await world.advance(2);
  expect(await placed(world)).toEqual([]);
  await world.patch(Node, first, { metadata: { labels: { disk: 'ssd' } } });
  await world.advance(5);
  expect(await placed(world)).toEqual([first]);
  await world.patch(Node, first, { metadata: { labels: { disk: null } } });
  await world.advance(60);
  expect(await placed(world)).toEqual([]);
  const taints = [{ key: 'only', value: 'others', effect: 'NoSchedule' }];
  await world.patch(Node, second, { spec: { taints }, metadata: { labels: { disk: 'ssd' } } });
  await world.advance(5);
  expect(await placed(world)).toEqual([]);
  await world.patch(Node, second, { spec: { taints: [] } });
  await world.advance(5);
  await world.patch(Node, second, { spec: { taints } });
  await world.advance(60);
  expect(await placed(world)).toEqual([second]);
  expect((await world.get(DaemonSet, 'agent')).status).toMatchObject({
    desiredNumberScheduled: 0,
    numberMisscheduled: 1,
  });
});

test('a cordoned node has its pod all the same', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  const [node = ''] = await world.names(Node);
  await world.patch(Node, node, { spec: { unschedulable: true } });
  await world.create(DaemonSet, daemons());
  await world.advance(5);
  expect(await placed(world)).toEqual([node]);
});

test('a rolling update replaces one pod at a time, and going back restarts only what had moved', async () => {
  await using world = await TestCluster.start({ nodes: 3 });
  await world.create(DaemonSet, daemons({ minReadySeconds: 30 }));
  await world.advance(40);
  await world.patch(DaemonSet, 'agent', { spec: { template: template(app, 'app:2') } });
  await world.advance(35);
  expect(await images(world)).toContain('app:1');
  const kept = (await world.list(Pod)).filter(
    ({ spec, metadata }) => spec?.containers[0]?.image === 'app:1' && !metadata.deletionTimestamp,
  );
  expect(kept.length).toBeGreaterThan(0);
  await world.patch(DaemonSet, 'agent', { spec: { template: template(app, 'app:1') } });
  await world.advance(300);
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:1']);
  const uids = (await world.list(Pod)).map(({ metadata }) => metadata.uid);
  for (const { metadata } of kept.slice(1)) expect(uids).toContain(metadata.uid);
  await world.patch(DaemonSet, 'agent', { spec: { template: template(app, 'app:3') } });
  await world.advance(600);
  expect(await images(world)).toEqual(['app:3', 'app:3', 'app:3']);
  expect((await world.list(ControllerRevision)).map(({ revision }) => revision).sort()).toEqual([2, 3, 4]);
});

test('with a surge the new pod is there before the old one goes', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
  await world.create(
    DaemonSet,
    daemons({ minReadySeconds: 20, updateStrategy: { type: 'RollingUpdate', rollingUpdate } }),
  );
  await world.advance(30);
  await world.patch(DaemonSet, 'agent', { spec: { template: template(app, 'app:2') } });
  await world.advance(5);
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:2']);
  await world.advance(300);
  expect(await images(world)).toEqual(['app:2', 'app:2']);
});

test('OnDelete: a pod has the new template when it is made anew', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await world.create(DaemonSet, daemons({ updateStrategy: { type: 'OnDelete' } }));
  await world.advance(5);
  await world.patch(DaemonSet, 'agent', { spec: { template: template(app, 'app:2') } });
  await world.advance(120);
  expect(await images(world)).toEqual(['app:1', 'app:1']);
  const [name = ''] = await world.names(Pod);
  await world.delete(Pod, name);
  await world.advance(60);
  expect(await images(world)).toEqual(['app:1', 'app:2']);
});

test('a failed pod is replaced', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  await world.create(DaemonSet, daemons());
  await world.advance(5);
  const [name = ''] = await world.names(Pod);
  await world.patch(Pod, name, { status: { phase: 'Failed' } }, 'status');
  await world.advance(60);
  const after = await world.list(Pod);
  expect(after.map(({ status }) => status?.phase)).toEqual(['Running']);
  expect(after[0]?.metadata.name).not.toBe(name);
  const [node] = await world.names(Node);
  expect(await world.events('FailedDaemonPod')).toEqual([
    `FailedDaemonPod: Found failed daemon pod default/${name} on node ${node}, will try to kill it`,
  ]);
});

test('pods that an orphaning deletion left are taken over', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await world.create(DaemonSet, daemons());
  await world.advance(5);
  const before = await world.names(Pod);
  await world.delete(DaemonSet, 'agent', 'Orphan');
  await world.advance(5);
  await world.create(DaemonSet, daemons());
  await world.advance(60);
  expect(await world.names(Pod)).toEqual(before);
  expect(await world.list(ControllerRevision)).toHaveLength(1);
});
