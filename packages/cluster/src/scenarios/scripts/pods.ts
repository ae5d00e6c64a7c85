import { Pod } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import { container, image, isReady, missingImage, podSpec } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

const pod = (name: string, spec: Parameters<typeof podSpec>[0], more: object = {}) => ({
  metadata: { name, ...more },
  spec: podSpec(spec),
});

const containerOf = (stage: Stage, name: string) => stage.seen(Pod, name)?.status?.containerStatuses?.[0];
const untilReady = (stage: Stage, name: string) =>
  stage.until(`${name} is ready`, () => isReady(stage.seen(Pod, name)));
const untilGone = (stage: Stage, name: string) => stage.until(`${name} is gone`, () => !stage.seen(Pod, name));
const untilPhase = (stage: Stage, name: string, phase: string) =>
  stage.until(`${name} is ${phase}`, () => stage.seen(Pod, name)?.status?.phase === phase);

const setImage = (stage: Stage, name: string, to: string) =>
  stage.client
    .of(Pod)
    .patch({ namespace: stage.namespace, name }, strategic({ spec: { containers: [{ name: 'main', image: to }] } }));

const lives: Scenario = {
  name: 'pod',
  async run(stage) {
    await stage.create(Pod, pod('one', {}));
    await untilReady(stage, 'one');
    await stage.delete(Pod, 'one');
    await untilGone(stage, 'one');
  },
};

const ends: Scenario = {
  name: 'pods-that-end',
  async run(stage) {
    const run = (name: string, command: readonly string[]) =>
      stage.create(Pod, pod(name, { restartPolicy: 'Never', containers: [container({ command })] }));
    await run('good', ['true']);
    await run('bad', ['sh', '-c', 'exit 3']);
    await untilPhase(stage, 'good', 'Succeeded');
    await untilPhase(stage, 'bad', 'Failed');
    await stage.delete(Pod, 'good');
    await untilGone(stage, 'good');
  },
};

const crashLoop: Scenario = {
  name: 'crash-loop',
  // soon after, it starts again
  after: 0,
  async run(stage) {
    await stage.create(Pod, pod('crash', { containers: [container({ command: ['false'] })] }));
    await stage.until('it has started three times', () => containerOf(stage, 'crash')?.restartCount === 2);
    await stage.until('it waits', () => containerOf(stage, 'crash')?.state?.waiting?.reason === 'CrashLoopBackOff');
  },
};

const pullError: Scenario = {
  name: 'image-that-is-not-there',
  async run(stage) {
    await stage.create(Pod, pod('none', { containers: [container({ image: missingImage })] }));
    await stage.until('it backs off', () => containerOf(stage, 'none')?.state?.waiting?.reason === 'ImagePullBackOff');
    await setImage(stage, 'none', image());
    await untilReady(stage, 'none');
  },
};

const initContainers: Scenario = {
  name: 'init-containers',
  async run(stage) {
    const initContainers = [
      container({ name: 'first', command: ['sleep', '1'] }),
      container({ name: 'second', command: ['sleep', '1'] }),
    ];
    await stage.create(Pod, pod('steps', { initContainers }));
    await untilReady(stage, 'steps');
  },
};

const initFails: Scenario = {
  name: 'init-container-that-fails',
  async run(stage) {
    const initContainers = [container({ name: 'first', command: ['false'] })];
    await stage.create(Pod, pod('never', { restartPolicy: 'Never', initContainers }));
    await untilPhase(stage, 'never', 'Failed');
  },
};

const sidecar: Scenario = {
  name: 'sidecar',
  async run(stage) {
    const initContainers = [container({ name: 'side', restartPolicy: 'Always' })];
    const containers = [container({ command: ['sleep', '2'] })];
    await stage.create(Pod, pod('pair', { restartPolicy: 'Never', initContainers, containers }));
    await untilPhase(stage, 'pair', 'Succeeded');
  },
};

const twoContainers: Scenario = {
  name: 'container-that-restarts',
  async run(stage) {
    const containers = [container(), container({ name: 'other', command: ['sleep', '5'] })];
    await stage.create(Pod, pod('two', { containers }));
    await stage.until('one has started again', () =>
      (stage.seen(Pod, 'two')?.status?.containerStatuses ?? []).some(({ restartCount }) => restartCount === 1),
    );
  },
};

const imageChange: Scenario = {
  name: 'image-changes-in-place',
  async run(stage) {
    await stage.create(Pod, pod('one', {}));
    await untilReady(stage, 'one');
    await setImage(stage, 'one', image(2));
    await stage.until('it runs the new image', () => {
      const { restartCount, ready } = containerOf(stage, 'one') ?? {};
      return restartCount === 1 && ready === true;
    });
  },
};

const deadline: Scenario = {
  name: 'active-deadline',
  async run(stage) {
    await stage.create(Pod, pod('late', { activeDeadlineSeconds: 3 }));
    await untilPhase(stage, 'late', 'Failed');
  },
};

const gates: Scenario = {
  name: 'readiness-gate',
  async run(stage) {
    await stage.create(Pod, pod('gated', { readinessGates: [{ conditionType: 'example.com/open' }] }));
    await stage.until('it runs', () => containerOf(stage, 'gated')?.ready === true);
    await stage.wait(1);
    const { conditions = [] } = stage.seen(Pod, 'gated')?.status ?? {};
    const open = { type: 'example.com/open', status: 'True' };
    await stage.patch(Pod, 'gated', { status: { conditions: [...conditions, open] } }, 'status');
    await untilReady(stage, 'gated');
  },
};

const preStop: Scenario = {
  name: 'pre-stop',
  async run(stage) {
    const lifecycle = { preStop: { sleep: { seconds: 3 } } };
    await stage.create(Pod, pod('slow', { terminationGracePeriodSeconds: 30, containers: [container({ lifecycle })] }));
    await untilReady(stage, 'slow');
    await stage.delete(Pod, 'slow');
    await untilGone(stage, 'slow');
  },
};

const noPullPolicy: Scenario = {
  name: 'image-is-never-pulled',
  async run(stage) {
    const containers = [container({ image: missingImage, imagePullPolicy: 'Never' })];
    await stage.create(Pod, pod('none', { containers }));
    await stage.until('it waits', () => containerOf(stage, 'none')?.state?.waiting?.reason === 'ErrImageNeverPull');
  },
};

const missingSecret: Scenario = {
  name: 'secret-that-is-not-there',
  async run(stage) {
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'no', key: 'a' } } }];
    await stage.create(Pod, pod('poor', { containers: [container({ env })] }));
    await stage.until(
      'it waits for its secret',
      () => containerOf(stage, 'poor')?.state?.waiting?.reason === 'CreateContainerConfigError',
    );
  },
};

export const pods: readonly Scenario[] = [
  lives,
  ends,
  crashLoop,
  pullError,
  initContainers,
  initFails,
  sidecar,
  twoContainers,
  imageChange,
  deadline,
  gates,
  preStop,
  noPullPolicy,
  missingSecret,
];
