import { CronJob, Deployment, Job, Lease, Node, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { conditionText, TestCluster, template } from './controllers/test-cluster.ts';

const hours = 3_600_000;

test.each([
  ['on', 3 * hours],
  ['back', -3 * hours],
])('a clock that is put %s by hours', async (_what, jump) => {
  await using world = await TestCluster.start({ nodes: 2 });
  const app = { app: 'web' };
  await world.create(Deployment, {
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: app }, template: template(app) },
  });
  const crashing = { name: 'main', image: 'app:1', command: ['sh', '-c', 'sleep 1; exit 1'] };
  await world.create(Pod, { metadata: { name: 'crashing' }, spec: { containers: [crashing] } });
  const container = { name: 'main', image: 'app:1', command: ['true'] };
  await world.create(CronJob, {
    metadata: { name: 'tick' },
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    },
  });
  await world.advance(130);
  const before = await world.list(Pod, 'app=web');
  const restarts = async () => (await world.get(Pod, 'crashing')).status?.containerStatuses?.[0]?.restartCount ?? 0;
  const restartsBefore = await restarts();

  world.clock.jump(jump);
  await world.advance(400);

  const after = await world.list(Pod, 'app=web');
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  for (const pod of after) expect(conditionText(pod, 'Ready')).toBe('True');
  for (const node of await world.list(Node)) {
    expect(conditionText(node, 'Ready')).toBe('True/KubeletReady');
    expect(node.spec?.taints ?? []).toEqual([]);
    const lease = await world.client.of(Lease).get({ namespace: 'kube-node-lease', name: node.metadata.name });
    expect(Math.abs(Date.parse(lease.spec?.renewTime ?? '') - world.clock.now())).toBeLessThan(11_000);
  }
  // who waited for a time of the clock does not wait for hours
  expect(await restarts()).toBeGreaterThan(restartsBefore);
  const jobs = await world.list(Job);
  if (jump > 0)
    expect(
      jobs.some(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') > world.clock.now() - 120_000),
    ).toBe(true);
  else expect(jobs.length).toBeLessThanOrEqual(4);
});
