import { Deployment, Pod, Service } from '@coxswain/k8s';
import { container, image, isReady, missingImage, podSpec, workload } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

/** Whether a Deployment has all its pods, of its newest template, and no others. */
function complete(stage: Stage, name: string): boolean {
  const { spec, status, metadata } = stage.seen(Deployment, name) ?? {};
  const { replicas = 0 } = spec ?? {};
  return (
    metadata !== undefined &&
    status?.observedGeneration === metadata.generation &&
    (status?.replicas ?? 0) === replicas &&
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    stage.all(Pod).length === replicas
  );
}

const untilComplete = (stage: Stage, name = 'web') => stage.until(`${name} is complete`, () => complete(stage, name));

const setImage = (stage: Stage, to: string) =>
  stage.patch(Deployment, 'web', { spec: { template: { spec: podSpec({ containers: [container({ image: to })] }) } } });

const deploy: Scenario = {
  name: 'deploy',
  async run(stage) {
    await stage.create(Service, {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    await stage.create(Deployment, workload('web', 3));
    await untilComplete(stage);
    await stage.delete(Deployment, 'web');
    await stage.until('all pods are gone', () => stage.all(Pod).length === 0);
  },
};

const scale: Scenario = {
  name: 'scale',
  async run(stage) {
    await stage.create(Deployment, workload('web', 2));
    await untilComplete(stage);
    await stage.patch(Deployment, 'web', { spec: { replicas: 5 } });
    await untilComplete(stage);
    await stage.patch(Deployment, 'web', { spec: { replicas: 1 } });
    await untilComplete(stage);
    await stage.patch(Deployment, 'web', { spec: { replicas: 0 } });
    await untilComplete(stage);
  },
};

const roll: Scenario = {
  name: 'roll-deployment',
  async run(stage) {
    await stage.create(Deployment, workload('web', 3));
    await untilComplete(stage);
    await setImage(stage, image(2));
    await untilComplete(stage);
  },
};

const rollBroken: Scenario = {
  name: 'roll-broken-image',
  async run(stage) {
    await stage.create(Deployment, workload('web', 2, podSpec(), { progressDeadlineSeconds: 10 }));
    await untilComplete(stage);
    await setImage(stage, missingImage);
    await stage.until('it makes no progress', () =>
      (stage.seen(Deployment, 'web')?.status?.conditions ?? []).some(
        ({ reason }) => reason === 'ProgressDeadlineExceeded',
      ),
    );
    // back to what it was
    await setImage(stage, image(1));
    await untilComplete(stage);
  },
};

const pause: Scenario = {
  name: 'pause-and-resume',
  async run(stage) {
    await stage.create(Deployment, workload('web', 2));
    await untilComplete(stage);
    await stage.patch(Deployment, 'web', { spec: { paused: true } });
    await setImage(stage, image(2));
    await stage.wait(3);
    await stage.patch(Deployment, 'web', { spec: { replicas: 3 } });
    await stage.until('three pods are ready', () => stage.all(Pod).filter(isReady).length === 3);
    await stage.patch(Deployment, 'web', { spec: { paused: null } });
    await untilComplete(stage);
  },
};

const recreate: Scenario = {
  name: 'recreate',
  async run(stage) {
    await stage.create(Deployment, workload('web', 2, podSpec(), { strategy: { type: 'Recreate' } }));
    await untilComplete(stage);
    await setImage(stage, image(2));
    await untilComplete(stage);
  },
};

export const deployments: readonly Scenario[] = [deploy, scale, roll, rollBroken, pause, recreate];
