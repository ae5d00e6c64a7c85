import { Node, Pod, PriorityClass } from '@coxswain/k8s';
import { container, isReady, podSpec } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

const slots = 'example.com/slots';

const taking = (count: number) => container({ resources: { limits: { [slots]: String(count) } } });

async function offer(stage: Stage, node: string, count: string | null): Promise<void> {
  await stage.patch(
    Node,
    node,
    { status: { capacity: { [slots]: count }, allocatable: { [slots]: count } } },
    'status',
  );
}

const unschedulable = (pod: Pod | undefined) =>
  (pod?.status?.conditions ?? []).some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable');

const waits: Scenario = {
  name: 'unschedulable-becomes-schedulable',
  alone: true,
  async run(stage) {
    await stage.create(Pod, { metadata: { name: 'greedy' }, spec: podSpec({ containers: [taking(2)] }) });
    await stage.until('it fits nowhere', () => unschedulable(stage.seen(Pod, 'greedy')));
    await offer(stage, 'node-1', '2');
    await stage.until('it is ready', () => isReady(stage.seen(Pod, 'greedy')));
    await stage.delete(Pod, 'greedy');
    await offer(stage, 'node-1', null);
  },
};

const selector: Scenario = {
  name: 'node-selector',
  alone: true,
  async run(stage) {
    const spec = podSpec({ nodeSelector: { 'example.com/place': 'here' } });
    await stage.create(Pod, { metadata: { name: 'picky' }, spec });
    await stage.until('it fits nowhere', () => unschedulable(stage.seen(Pod, 'picky')));
    await stage.patch(Node, 'node-1', { metadata: { labels: { 'example.com/place': 'here' } } });
    await stage.until('it is ready', () => isReady(stage.seen(Pod, 'picky')));
    await stage.patch(Node, 'node-1', { metadata: { labels: { 'example.com/place': null } } });
  },
};

const preemption: Scenario = {
  name: 'preemption',
  alone: true,
  async run(stage) {
    await stage.create(PriorityClass, { metadata: { name: 'scenario-high' }, value: 1000 });
    await stage.create(PriorityClass, { metadata: { name: 'scenario-low' }, value: 1 });
    await offer(stage, 'node-1', '2');
    const pod = (name: string, priorityClassName: string) =>
      stage.create(Pod, { metadata: { name }, spec: podSpec({ priorityClassName, containers: [taking(2)] }) });
    await pod('low', 'scenario-low');
    await stage.until('it is ready', () => isReady(stage.seen(Pod, 'low')));
    await pod('high', 'scenario-high');
    await stage.until('it is ready', () => isReady(stage.seen(Pod, 'high')));
    await stage.until('the other is gone', () => !stage.seen(Pod, 'low'));
    await stage.delete(Pod, 'high');
    await offer(stage, 'node-1', null);
    await stage.delete(PriorityClass, 'scenario-high');
    await stage.delete(PriorityClass, 'scenario-low');
  },
};

const gate: Scenario = {
  name: 'scheduling-gate',
  async run(stage) {
    await stage.create(Pod, {
      metadata: { name: 'held' },
      spec: podSpec({ schedulingGates: [{ name: 'example.com/wait' }] }),
    });
    await stage.wait(2);
    await stage.patch(Pod, 'held', { spec: { schedulingGates: [] } });
    await stage.until('it is ready', () => isReady(stage.seen(Pod, 'held')));
  },
};

export const scheduling: readonly Scenario[] = [waits, selector, preemption, gate];
