import { CronJob, Job, Pod } from '@coxswain/k8s';
import { container, podSpec } from '../build.ts';
import type { Scenario, Stage } from '../types.ts';

const task = (command: readonly string[], restartPolicy: 'Never' | 'OnFailure' = 'Never') =>
  podSpec({ restartPolicy, containers: [container({ command })] });

const untilEnded = (stage: Stage, name: string, limit = 120) =>
  stage.until(
    `${name} has ended`,
    () =>
      (stage.seen(Job, name)?.status?.conditions ?? []).some(
        ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
      ),
    limit,
  );

const job = (name: string, spec: object) => ({ metadata: { name }, spec });

const simple: Scenario = {
  name: 'job',
  async run(stage) {
    await stage.create(Job, job('sum', { template: { spec: task(['sleep', '1']) } }));
    await untilEnded(stage, 'sum');
    await stage.delete(Job, 'sum', { propagation: 'Background' });
    await stage.until('its pods are gone', () => stage.all(Pod).length === 0);
  },
};

const indexed: Scenario = {
  name: 'indexed-job',
  async run(stage) {
    const spec = {
      completions: 3,
      parallelism: 1,
      completionMode: 'Indexed',
      template: { spec: task(['sleep', '1']) },
    };
    await stage.create(Job, job('parts', spec));
    await untilEnded(stage, 'parts');
  },
};

const failing: Scenario = {
  name: 'failing-job',
  async run(stage) {
    await stage.create(Job, job('bad', { backoffLimit: 1, template: { spec: task(['false']) } }));
    await untilEnded(stage, 'bad');
  },
};

const suspended: Scenario = {
  name: 'suspend-job',
  async run(stage) {
    await stage.create(Job, job('later', { suspend: true, template: { spec: podSpec({ restartPolicy: 'Never' }) } }));
    await stage.wait(1);
    await stage.patch(Job, 'later', { spec: { suspend: false } });
    await stage.until('its pod runs', () => stage.seen(Job, 'later')?.status?.ready === 1);
    await stage.patch(Job, 'later', { spec: { suspend: true } });
    await stage.until('its pod is gone', () => stage.all(Pod).length === 0);
  },
};

const cron: Scenario = {
  name: 'cron-job',
  async run(stage) {
    const jobTemplate = { spec: { template: { spec: task(['true']) } } };
    await stage.create(CronJob, { metadata: { name: 'tick' }, spec: { schedule: '* * * * *', jobTemplate } });
    await stage.until('a run has ended', () => stage.seen(CronJob, 'tick')?.status?.lastSuccessfulTime !== undefined);
    await stage.patch(CronJob, 'tick', { spec: { suspend: true } });
  },
};

export const jobs: readonly Scenario[] = [simple, indexed, failing, suspended, cron];
