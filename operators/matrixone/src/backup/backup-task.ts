import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { BackupJob, CNSet, MatrixOneCluster, type SharedStorage } from '../api/index.ts';
import { findBackup, recordBackup } from './backup-record.ts';
import type { JobTask } from './job-actor.ts';
import { fromSecret } from './job-objects.ts';
import { backupLine, type SqlAddress } from './program-line.ts';
import { say } from './say.ts';

/** Milliseconds between looks at a source that cannot be reached yet. */
const lookAgain = 15_000;

/** Where a backup is taken from, and the Secret of the user who takes it. */
interface Source extends SqlAddress {
  readonly secret: string;
}

/** Runs the backup program against a cluster or a group of compute nodes; a Backup comes of it. */
export const backupTask: JobTask<BackupJob> = {
  kind: BackupJob,
  component: 'BackupJob',
  overlayOf: ({ spec }) => spec.overlay,
  problem: ({ spec: { source, target } }) => sourceProblem(source) ?? storageProblem('spec.target', target),
  async program(context) {
    const { secret, ...address } = await sourceOf(context);
    const { target } = context.object.spec;
    const keys = target.s3?.secretRef;
    return {
      line: backupLine(address, target),
      env: [
        fromSecret('MO_USER', secret, 'username'),
        fromSecret('MO_PASSWORD', secret, 'password'),
        ...(keys ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((key) => fromSecret(key, keys.name)) : []),
      ],
    };
  },
  async accept(context, report, job) {
    const backup = await recordBackup(context, report, job);
    return typeof backup === 'string' ? backup : { backup: backup.metadata.name };
  },
  async accepted(context) {
    const backup = await findBackup(context);
    return backup && { backup: backup.metadata.name };
  },
  keptFor: async () => undefined,
  heldFor: () => undefined,
};

function sourceProblem({ clusterRef, cnSetRef, secretRef }: BackupJob['spec']['source']): string | undefined {
  if (clusterRef && cnSetRef) return 'spec.source: give clusterRef or cnSetRef, not both';
  if (clusterRef) return undefined;
  if (!cnSetRef) return 'spec.source: clusterRef or cnSetRef must be set';
  return secretRef
    ? undefined
    : 'spec.source.secretRef: must be set with cnSetRef: the Secret with username and password';
}

/** What is wrong with a place: CRDs that were installed before their rules were let everything through. */
export function storageProblem(field: string, { s3, fileSystem }: SharedStorage): string | undefined {
  if (s3 && fileSystem) return `${field}: give s3 or fileSystem, not both`;
  if (s3) return /[^/]/.test(s3.path) ? undefined : `${field}.s3.path: must name a bucket`;
  return fileSystem?.path ? undefined : `${field}: s3 or fileSystem must be set`;
}

/** @throws Resync while the source does not say where it is */
async function sourceOf(context: ActorContext<BackupJob>): Promise<Source> {
  const { client, object, signal } = context;
  const { namespace = '' } = object.metadata;
  const { clusterRef, cnSetRef, secretRef } = object.spec.source;
  const what = clusterRef ? `MatrixOneCluster ${clusterRef}` : `CNSet ${cnSetRef}`;
  const waiting = async (why: string): Promise<never> => {
    await say(context, BackupJob, {}, { status: 'False', reason: 'SourceNotReady', message: why });
    throw new Resync(why, lookAgain);
  };
  const cluster = clusterRef
    ? await client.of(MatrixOneCluster).find({ namespace, name: clusterRef }, { signal })
    : undefined;
  const group = cnSetRef ? await client.of(CNSet).find({ namespace, name: cnSetRef }, { signal }) : undefined;
  const found = cluster ?? group;
  if (!found) return waiting(`there is no ${what}`);
  const { host, port = 6001 } = found.status ?? {};
  if (!host) return waiting(`${what} does not say yet where clients reach it`);
  const secret = secretRef || cluster?.status?.credentialRef?.name;
  return secret ? { host, port, secret } : waiting(`${what} has no first user yet`);
}
