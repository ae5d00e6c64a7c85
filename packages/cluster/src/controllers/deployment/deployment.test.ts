import { Deployment, Pod, ReplicaSet, ResourceQuota } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { conditionText, TestCluster, template } from '../test-cluster.ts';
import { newReplicaSet } from './replica-sets.ts';

const labels = { app: 'web' };
const selector = { matchLabels: labels };
/** An image no node can pull. */
const broken = 'invalid.example/app:1';

function deployment(replicas: number, more: object = {}): Deployment {
  return { metadata: { name: 'web' }, spec: { replicas, selector, template: template(labels), ...more } };
}

const image = (name: string) => ({ spec: { template: template(labels, name) } });
const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

/** Sizes of the ReplicaSets by revision. */
async function sizes(world: TestCluster): Promise<Record<string, number>> {
  const sets = await world.list(ReplicaSet);
  return Object.fromEntries(
    sets.map(({ metadata, spec }) => [
      metadata.annotations?.['deployment.kubernetes.io/revision'] ?? '',
      spec?.replicas ?? 0,
    ]),
  );
}

test('create, roll, and back to the old template by its ReplicaSet', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(3));
  const [first] = await world.list(ReplicaSet);
  expect(first?.metadata.labels?.['pod-template-hash']).toBeTruthy();
  let web = await world.get(Deployment, 'web');
  expect(web.status).toMatchObject({ observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
  expect(conditionText(web, 'Available')).toBe('True/MinimumReplicasAvailable');
  expect(conditionText(web, 'Progressing')).toBe('True/NewReplicaSetAvailable');

  await world.patch(Deployment, 'web', image('app:2'));
  expect(await sizes(world)).toEqual({ 1: 0, 2: 3 });
  expect((await world.list(Pod)).map(({ spec }) => spec?.containers[0]?.image)).toEqual(['app:2', 'app:2', 'app:2']);

  await world.patch(Deployment, 'web', image('app:1'));
  expect(await sizes(world)).toEqual({ 2: 0, 3: 3 });
  web = await world.get(Deployment, 'web');
  expect(web.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  expect((await world.list(ReplicaSet)).find(({ spec }) => spec?.replicas === 3)?.metadata.uid).toBe(
    first?.metadata.uid,
  );
});

test('a roll that cannot go on keeps within surge and unavailable, and misses its deadline', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(10, { ...rolling(3, 2), progressDeadlineSeconds: 60 }));
  await world.patch(Deployment, 'web', image(broken));
  expect(await sizes(world)).toEqual({ 1: 8, 2: 5 });
  await world.advance(59);
  expect(conditionText(await world.get(Deployment, 'web'), 'Progressing')).toBe('True/ReplicaSetUpdated');
  await world.advance(2);
  expect(conditionText(await world.get(Deployment, 'web'), 'Progressing')).toBe('False/ProgressDeadlineExceeded');
  await world.patch(Deployment, 'web', image('app:3'));
  expect(conditionText(await world.get(Deployment, 'web'), 'Progressing')).toBe('True/NewReplicaSetAvailable');
  expect(await sizes(world)).toEqual({ 1: 0, 2: 0, 3: 10 });
});

test('a roll under way is scaled in proportion', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(10, rolling(3, 2)));
  await world.patch(Deployment, 'web', image(broken));
  await world.patch(Deployment, 'web', { spec: { replicas: 30 } });
  expect(await sizes(world)).toEqual({ 1: 20, 2: 13 });
});

test('paused: scales but does not roll; resumed: rolls', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(2, { paused: true }));
  expect(await world.names(ReplicaSet)).toEqual([]);
  await world.patch(Deployment, 'web', { spec: { paused: false } });
  expect(await sizes(world)).toEqual({ 1: 2 });
  await world.patch(Deployment, 'web', { spec: { paused: true, template: template(labels, 'app:2'), replicas: 4 } });
  expect(await sizes(world)).toEqual({ 1: 4 });
  expect(conditionText(await world.get(Deployment, 'web'), 'Progressing')).toBe('Unknown/DeploymentPaused');
  await world.patch(Deployment, 'web', { spec: { paused: false } });
  expect(await sizes(world)).toEqual({ 1: 0, 2: 4 });
  expect(conditionText(await world.get(Deployment, 'web'), 'Progressing')).toBe('True/NewReplicaSetAvailable');
});

test('Recreate: no new pod before the last old one has gone', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(2, { strategy: { type: 'Recreate' } }));
  await world.advance(5);
  const before = await world.names(Pod);
  // what the nodes have to say comes late
  const match = { user: 'system:kubelet', resource: 'pods', verb: ['delete', 'patch', 'update'] };
  const late = world.cluster.faults.add({ match, action: { latency: 10_000 } });
  await world.patch(Deployment, 'web', image('app:2'));
  await world.advance(5);
  expect(await sizes(world)).toEqual({ 1: 0 });
  expect(await world.names(Pod)).toEqual(before);
  late.remove();
  await world.advance(30);
  expect(await sizes(world)).toEqual({ 1: 0, 2: 2 });
});

test('old ReplicaSets go beyond the history limit', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(1, { revisionHistoryLimit: 1 }));
  for (const tag of ['2', '3', '4']) await world.patch(Deployment, 'web', image(`app:${tag}`));
  await world.advance(1);
  expect(await sizes(world)).toEqual({ 3: 0, 4: 1 });
});

test('a name taken by another template is counted past', async () => {
  await using world = await TestCluster.start();
  const web = { ...deployment(1), metadata: { name: 'web', namespace: 'default', uid: 'none' } };
  const defaulted = await world.client.of(Deployment).create(web, { dryRun: true });
  const taken = newReplicaSet(defaulted, 0, {}, 0);
  await world.create(ReplicaSet, {
    ...taken,
    metadata: { name: taken.metadata.name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'stranger' } },
      template: template({ app: 'stranger' }),
    },
  });
  await world.create(Deployment, deployment(1));
  expect((await world.get(Deployment, 'web')).status).toMatchObject({ collisionCount: 1, availableReplicas: 1 });
  expect(await world.names(ReplicaSet)).toHaveLength(2);
});

test('a matching ReplicaSet nobody controls is adopted', async () => {
  await using world = await TestCluster.start();
  await world.create(ReplicaSet, {
    metadata: { name: 'before', labels },
    spec: { replicas: 2, selector, template: template(labels) },
  });
  await world.create(Deployment, deployment(2));
  expect(await world.names(ReplicaSet)).toEqual(['before']);
  expect(await world.names(Pod)).toHaveLength(2);
  expect((await world.get(Deployment, 'web')).status).toMatchObject({ availableReplicas: 2, updatedReplicas: 2 });
});

test('deleting takes ReplicaSets and pods along', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(3));
  await world.delete(Deployment, 'web');
  await world.advance(5);
  expect(await world.names(ReplicaSet)).toEqual([]);
  expect(await world.names(Pod)).toEqual([]);
});

test('going back keeps the older revision numbers as history', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, { ...deployment(1), metadata: { name: 'web', annotations: { note: 'x' } } });
  for (const tag of ['2', '1', '2', '1']) await world.patch(Deployment, 'web', image(`app:${tag}`));
  const [newest, other] = [...(await world.list(ReplicaSet))].sort(
    (a, b) => (b.spec?.replicas ?? 0) - (a.spec?.replicas ?? 0),
  );
  expect(newest?.metadata.annotations).toEqual({
    note: 'x',
    'deployment.kubernetes.io/revision': '5',
    'deployment.kubernetes.io/revision-history': '1,3',
    'deployment.kubernetes.io/desired-replicas': '1',
    'deployment.kubernetes.io/max-replicas': '2',
  });
  expect(other?.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '4',
    'deployment.kubernetes.io/revision-history': '2',
  });
  const { metadata } = await world.get(Deployment, 'web');
  expect(metadata.annotations).toEqual({ note: 'x', 'deployment.kubernetes.io/revision': '5' });
});

test('revisions are numbers of 64 bits', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(1));
  const [first] = await world.names(ReplicaSet);
  const revision = { 'deployment.kubernetes.io/revision': '3546343826724305832' };
  await world.patch(ReplicaSet, first ?? '', { metadata: { annotations: revision } });
  await world.patch(Deployment, 'web', image('app:2'));
  const { metadata } = await world.get(Deployment, 'web');
  expect(metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3546343826724305833');
});

test('what keeps the ReplicaSet from making pods is said on the Deployment; it goes when it is over', async () => {
  await using world = await TestCluster.start();
  await world.create(ResourceQuota, { metadata: { name: 'few' }, spec: { hard: { pods: '1' } } });
  await world.advance(1);
  await world.create(Deployment, deployment(3, { progressDeadlineSeconds: 30 }));
  let web = await world.get(Deployment, 'web');
  expect(conditionText(web, 'ReplicaFailure')).toBe('True/FailedCreate');
  expect(web.status?.conditions?.find(({ type }) => type === 'ReplicaFailure')?.message).toContain(
    'exceeded quota: few',
  );
  await world.advance(40);
  web = await world.get(Deployment, 'web');
  expect(conditionText(web, 'Progressing')).toBe('False/ProgressDeadlineExceeded');
  expect(web.status).toMatchObject({ replicas: 1, unavailableReplicas: 2 });
  await world.delete(ResourceQuota, 'few');
  await world.advance(120);
  web = await world.get(Deployment, 'web');
  expect(conditionText(web, 'ReplicaFailure')).toBeUndefined();
  expect(conditionText(web, 'Progressing')).toBe('True/NewReplicaSetAvailable');
  world.errors.length = 0;
});

test('a ReplicaSet that cannot be made is a condition and an event', async () => {
  await using world = await TestCluster.start();
  await world.create(ResourceQuota, { metadata: { name: 'none' }, spec: { hard: { 'count/replicasets.apps': '0' } } });
  await world.advance(1);
  await world.create(Deployment, deployment(1));
  const web = await world.get(Deployment, 'web');
  expect(conditionText(web, 'Progressing')).toBe('False/ReplicaSetCreateError');
  const [event] = await world.events('ReplicaSetCreateError');
  expect(event).toMatch(/^ReplicaSetCreateError: Failed to create new replica set "web-\w+": replicasets.apps "web-/);
  world.errors.length = 0;
});

test('without a deadline nothing is said of progress', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(1, { progressDeadlineSeconds: 2 ** 31 - 1 }));
  const web = await world.get(Deployment, 'web');
  expect(web.status?.conditions?.map(({ type }) => type)).toEqual(['Available']);
});

test('a new number of replicas for a saturated roll and for none are steps of their own', async () => {
  await using world = await TestCluster.start();
  await world.create(Deployment, deployment(4));
  await world.patch(Deployment, 'web', { spec: { replicas: 0 } });
  expect(await sizes(world)).toEqual({ 1: 0 });
  expect((await world.get(Deployment, 'web')).status).toMatchObject({ observedGeneration: 2, terminatingReplicas: 0 });
  await world.patch(Deployment, 'web', { spec: { replicas: 2, ...image('app:2').spec } });
  expect(await sizes(world)).toEqual({ 1: 0, 2: 2 });
});

test('a watch that is late makes neither a second ReplicaSet nor more pods', async () => {
  await using world = await TestCluster.start();
  for (const resource of ['replicasets', 'pods', 'deployments'])
    world.cluster.faults.add({ match: { verb: 'watch', resource }, action: { watch: 'reorderless-late', ms: 3000 } });
  await world.create(Deployment, deployment(5));
  for (let second = 0; second < 12; second++) {
    await world.advance(1);
    expect((await world.names(ReplicaSet)).length).toBeLessThanOrEqual(1);
    expect((await world.names(Pod)).length).toBeLessThanOrEqual(5);
  }
  await world.patch(Deployment, 'web', image('app:2'));
  for (let second = 0; second < 60; second++) {
    await world.advance(1);
    expect((await world.names(Pod)).length).toBeLessThanOrEqual(7);
  }
  expect(await sizes(world)).toEqual({ 1: 0, 2: 5 });
});
