import { Deployment, Node, Pod, StatefulSet } from '@coxswain/k8s';
import { isReady, podSpec, workload } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

/** Leaves a node that is gone after a moment instead of five minutes. */
const hasty = (more: object = {}) =>
  podSpec({
    tolerations: ['not-ready', 'unreachable'].map((name) => ({
      key: `node.kubernetes.io/${name}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 3,
    })),
    ...more,
  });

const nodeIs = (stage: Stage, name: string, status: string) =>
  (stage.seen(Node, name)?.status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === status);

const ready = (stage: Stage) => stage.all(Pod).filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp);

const lost: Scenario = {
  name: 'node-is-lost-and-comes-back',
  alone: true,
  also: [{ kind: Node, names: /^node-2$/ }],
  async run(stage) {
    const on2 = { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } };
    await stage.patch(Node, 'node-1', { spec: { unschedulable: true } });
    await stage.create(Deployment, workload('web', 1, hasty()));
    await stage.create(StatefulSet, workload('db', 1, hasty(on2), { serviceName: 'db' }));
    await stage.until('both are ready', () => ready(stage).length === 2);
    await stage.patch(Node, 'node-1', { spec: { unschedulable: null } });
    await stage.powerOff('node-2');
    await stage.until('its node is not heard of', () => nodeIs(stage, 'node-2', 'Unknown'), 180);
    await stage.until('another web is ready', () => ready(stage).some(({ spec }) => spec?.nodeName === 'node-1'), 180);
    await stage.wait(5);
    await stage.powerOn('node-2');
    await stage.until('the node is ready', () => nodeIs(stage, 'node-2', 'True'), 180);
    await stage.until('both are ready', () => ready(stage).length === 2 && stage.all(Pod).length === 2, 180);
    await stage.until('it has no taints', () => (stage.seen(Node, 'node-2')?.spec?.taints ?? []).length === 0);
  },
};

const tainted: Scenario = {
  name: 'taint-that-evicts',
  alone: true,
  async run(stage) {
    await stage.patch(Node, 'node-1', { spec: { unschedulable: true } });
    await stage.create(Deployment, workload('web', 1));
    await stage.until('it is ready', () => ready(stage).length === 1);
    await stage.patch(Node, 'node-1', { spec: { unschedulable: null } });
    await stage.until('the first node takes pods', () => !(stage.all(Node)[0]?.spec?.taints ?? []).length);
    const taints = [{ key: 'example.com/fault', value: 'yes', effect: 'NoExecute' }];
    await stage.patch(Node, 'node-2', { spec: { taints } });
    await stage.until('it is ready elsewhere', () => ready(stage).some(({ spec }) => spec?.nodeName === 'node-1'));
    await stage.until('the other one is gone', () => stage.all(Pod).length === 1);
    await stage.patch(Node, 'node-2', { spec: { taints: null } });
  },
};

export const nodes: readonly Scenario[] = [lost, tainted];
