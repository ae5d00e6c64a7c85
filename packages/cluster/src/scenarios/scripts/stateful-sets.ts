import { Pod, Service, StatefulSet } from '@coxswain/k8s';
import { container, image, isReady, podSpec, workload } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

const headless = {
  metadata: { name: 'db' },
  spec: { clusterIP: 'None', selector: { app: 'db' }, ports: [{ port: 1 }] },
};

async function start(stage: Stage, replicas: number, more: object = {}): Promise<void> {
  await stage.create(Service, headless);
  await stage.create(StatefulSet, workload('db', replicas, podSpec(), { serviceName: 'db', ...more }));
  await untilReady(stage, replicas);
}

function untilReady(stage: Stage, replicas: number): Promise<void> {
  return stage.until(`${replicas} pods are ready`, () => {
    const { status, metadata } = stage.seen(StatefulSet, 'db') ?? {};
    const pods = stage.all(Pod);
    return (
      metadata !== undefined &&
      status?.observedGeneration === metadata.generation &&
      (status?.readyReplicas ?? 0) === replicas &&
      pods.length === replicas &&
      pods.every(isReady)
    );
  });
}

const updated = (stage: Stage, count: number) =>
  stage.until(`${count} pods are updated`, () => {
    const { status, metadata } = stage.seen(StatefulSet, 'db') ?? {};
    if (status?.observedGeneration !== metadata?.generation) return false;
    return (status?.updatedReplicas ?? 0) === count && stage.all(Pod).filter(isReady).length === status?.replicas;
  });

const setImage = (stage: Stage, to: string) =>
  stage.patch(StatefulSet, 'db', {
    spec: { template: { spec: podSpec({ containers: [container({ image: to })] }) } },
  });

const roll: Scenario = {
  name: 'roll-stateful-set',
  ordered: true,
  async run(stage) {
    await start(stage, 3);
    await setImage(stage, image(2));
    await updated(stage, 3);
  },
};

const partition: Scenario = {
  name: 'roll-stateful-set-by-partition',
  ordered: true,
  async run(stage) {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await start(stage, 3, { updateStrategy });
    await setImage(stage, image(2));
    await updated(stage, 1);
    await stage.wait(2);
    await stage.patch(StatefulSet, 'db', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await updated(stage, 3);
  },
};

const scale: Scenario = {
  name: 'scale-stateful-set',
  ordered: true,
  async run(stage) {
    await start(stage, 1);
    await stage.patch(StatefulSet, 'db', { spec: { replicas: 3 } });
    await untilReady(stage, 3);
    await stage.patch(StatefulSet, 'db', { spec: { replicas: 1 } });
    await untilReady(stage, 1);
  },
};

const replaced: Scenario = {
  name: 'delete-pod-of-stateful-set',
  ordered: true,
  async run(stage) {
    await start(stage, 2);
    await stage.delete(Pod, 'db-0');
    await stage.until('another db-0 is asked for', () => !stage.seen(Pod, 'db-0') || !isReady(stage.seen(Pod, 'db-0')));
    await untilReady(stage, 2);
  },
};

export const statefulSets: readonly Scenario[] = [roll, partition, scale, replaced];
