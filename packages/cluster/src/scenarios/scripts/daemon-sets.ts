import { DaemonSet, Pod } from '@coxswain/k8s';
import { container, image, isReady, podSpec, template } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

const untilUpdated = (stage: Stage) =>
  stage.until('every node has a pod of the newest template', () => {
    const { status, metadata } = stage.seen(DaemonSet, 'agent') ?? {};
    return (
      metadata !== undefined &&
      status?.observedGeneration === metadata.generation &&
      status?.updatedNumberScheduled === stage.nodes.length &&
      status?.numberAvailable === stage.nodes.length &&
      stage.all(Pod).filter(isReady).length === stage.nodes.length &&
      stage.all(Pod).length === stage.nodes.length
    );
  });

const roll: Scenario = {
  name: 'roll-daemon-set',
  async run(stage) {
    const spec = { selector: { matchLabels: { app: 'agent' } }, template: template('agent') };
    await stage.create(DaemonSet, { metadata: { name: 'agent' }, spec });
    await untilUpdated(stage);
    const containers = [container({ image: image(2) })];
    await stage.patch(DaemonSet, 'agent', { spec: { template: { spec: podSpec({ containers }) } } });
    await untilUpdated(stage);
    await stage.delete(DaemonSet, 'agent');
    await stage.until('all pods are gone', () => stage.all(Pod).length === 0);
  },
};

export const daemonSets: readonly Scenario[] = [roll];
