import { Deployment, Node, Pod, PodDisruptionBudget } from '@coxswain/k8s';
import { isReady, podSpec, workload } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

const readyPods = (stage: Stage) => stage.all(Pod).filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp);

const untilReady = (stage: Stage, count: number) =>
  stage.until(`${count} pods are ready`, () => readyPods(stage).length === count && stage.all(Pod).length === count);

const allowed = (stage: Stage, count: number) =>
  stage.until(
    `${count} disruptions are allowed`,
    () => stage.seen(PodDisruptionBudget, 'web')?.status?.disruptionsAllowed === count,
  );

const budget = (minAvailable: number) => ({
  metadata: { name: 'web' },
  spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
});

const evict: Scenario = {
  name: 'evict',
  async run(stage) {
    await stage.create(Deployment, workload('web', 2));
    await untilReady(stage, 2);
    await stage.create(PodDisruptionBudget, budget(2));
    await stage.until('it is counted', () => stage.seen(PodDisruptionBudget, 'web')?.status?.currentHealthy === 2);
    const [first] = readyPods(stage);
    await stage.evict(first?.metadata.name ?? '');
    await stage.patch(Deployment, 'web', { spec: { replicas: 3 } });
    await untilReady(stage, 3);
    await allowed(stage, 1);
    await stage.evict(first?.metadata.name ?? '');
    await stage.until('it is gone', () => !stage.seen(Pod, first?.metadata.name ?? ''));
    await untilReady(stage, 3);
    await allowed(stage, 1);
  },
};

/** Asks for the eviction of every pod of a node until none is left, as `kubectl drain` does. */
async function drain(stage: Stage, node: string): Promise<void> {
  await stage.patch(Node, node, { spec: { unschedulable: true } });
  const there = () => stage.all(Pod).filter(({ spec }) => spec?.nodeName === node);
  while (there().length > 0) {
    for (const { metadata } of there().filter((pod) => !pod.metadata.deletionTimestamp))
      if ((await stage.evict(metadata.name)) === 201) {
        await stage.until(`${metadata.name} is gone`, () => !stage.seen(Pod, metadata.name));
        await allowed(stage, 1);
      }
    await stage.wait(1);
  }
}

const drained: Scenario = {
  name: 'drain',
  alone: true,
  also: [{ kind: Node, names: /^node-1$/ }],
  async run(stage) {
    // one after the other, so that both are on the first node
    await stage.patch(Node, 'node-2', { spec: { unschedulable: true } });
    await stage.create(Deployment, workload('web', 2, podSpec()));
    await untilReady(stage, 2);
    await stage.create(PodDisruptionBudget, budget(1));
    await allowed(stage, 1);
    await stage.patch(Node, 'node-2', { spec: { unschedulable: null } });
    await drain(stage, 'node-1');
    await untilReady(stage, 2);
    await stage.patch(Node, 'node-1', { spec: { unschedulable: null } });
  },
};

export const disruption: readonly Scenario[] = [evict, drained];
