import type { EnvVar, Job, Service } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import type { Backup, BackupJob, RestoreJob } from '../api/index.ts';
import { decided, sentService } from '../golden/test-normalize.ts';
import { recordings } from '../golden/test-recording.ts';
import { fromSecret, jobOf, type Program, statusServiceOf } from './job-objects.ts';
import { chartBackupImage } from './options.ts';
import { backupLine, restoreLine } from './program-line.ts';
import { restoreEnv } from './restore-task.ts';

const life = recordings().find(({ name }) => name === 'life-basic-300');
const stored = <T>(kind: string, name: string): T => {
  const found = life?.stored.all.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`${kind} ${name} is not in the recording`);
  return found as unknown as T;
};

/** Fields that the API server fills in, and the mark of what runs. */
const filledIn: ReadonlySet<string> = new Set([
  ...['completionMode', 'manualSelector', 'podReplacementPolicy', 'selector', 'suspend', 'status'],
  ...['terminationMessagePath', 'terminationMessagePolicy', 'dnsPolicy', 'schedulerName', 'securityContext'],
  ...['terminationGracePeriodSeconds', 'imagePullPolicy', 'apiVersion', 'kind', 'namespace', 'resources'],
  ...['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'],
]);

function sent(object: unknown): unknown {
  return JSON.parse(JSON.stringify(object), (key, value) => (filledIn.has(key) ? undefined : value));
}

const key = { namespace: 'g-basic-300' };
const jobOwner = (job: BackupJob) => ({ kind: 'BackupJob', ...key, name: job.metadata.name }) as const;

function expectRecorded(owner: Parameters<typeof jobOf>[0], program: Program): void {
  const job = stored<Job>('Job', owner.name);
  expect(sent(decided(jobOf(owner, program, chartBackupImage)))).toEqual(sent(decided(job)));
  const service = stored<Service>('Service', owner.name);
  expect(sent(sentService(statusServiceOf(owner)))).toMatchObject(sent(decided(sentService(service))) as object);
}

test.each([
  ['bk', 'mo-credential'],
  ['bk2', 'sec'],
])('the Job and Service of BackupJob %s are the recorded ones', (name, secret) => {
  const job = stored<BackupJob>('BackupJob', name);
  const { target } = job.spec;
  const keys = target.s3?.secretRef?.name;
  const env: readonly EnvVar[] = [
    fromSecret('MO_USER', secret, 'username'),
    fromSecret('MO_PASSWORD', secret, 'password'),
    ...(keys ? [fromSecret('AWS_ACCESS_KEY_ID', keys), fromSecret('AWS_SECRET_ACCESS_KEY', keys)] : []),
  ];
  // The overlay's variable `A` of bk is missing in the recording, where it was lost.
  expectRecorded(jobOwner(job), { line: backupLine({ host: 'mo-tp-cn.g-basic-300', port: 6001 }, target), env });
});

test('a variable of the overlay comes after those of the program', () => {
  const job = stored<BackupJob>('BackupJob', 'bk');
  const { spec } = jobOf({ ...jobOwner(job), overlay: job.spec.overlay }, { line: 'x', env: [{ name: 'B' }] }, 'i');
  expect(spec?.template.spec?.containers[0]?.env).toEqual([{ name: 'B' }, { name: 'A', value: 'b' }]);
});

test('the Job and Service of RestoreJob rs are the recorded ones, but for the keys of the target', () => {
  const job = stored<RestoreJob>('RestoreJob', 'rs');
  const { target } = job.spec;
  const meta: Backup['meta'] = {
    location: { s3: { path: 'x', secretRef: { name: 'bks' } } },
    id: '0192-aaaa-bbbb',
    raw: '0192-aaaa-bbbb,raw',
    atTime: '',
    completeTime: '',
    sourceRef: '',
  };
  const owner = { kind: 'RestoreJob', ...key, name: 'rs' } as const;
  const line = restoreLine(meta.id, meta.location, target);
  // Recorded with those of the source, which do not fit the target.
  const wrong: typeof target = { s3: { path: 'x', secretRef: { name: 'bks' } } };
  expectRecorded(owner, { line, env: restoreEnv(meta, wrong) });
  expect(restoreEnv(meta, target).slice(-1)[0]?.valueFrom?.secretKeyRef).toEqual({
    key: 'AWS_SECRET_ACCESS_KEY',
    name: 'tgt',
  });
});
