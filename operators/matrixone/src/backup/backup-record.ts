import type { Job } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { formatTime, isAlreadyExists } from '@coxswain/runtime/core';
import { Backup, type BackupJob, LABEL_OWNER_UID, setLabels } from '../api/index.ts';
import { META_DELIMITER } from './program-line.ts';
import type { JobReport } from './report.ts';

/** What the backup program writes about a backup. */
export interface BackupRecord {
  readonly id: string;
  /** As it was written, without the white space around it. */
  readonly raw: string;
}

/** The record in what the program said, or why there is none. */
export function recordIn(stdout: string): BackupRecord | string {
  const at = stdout.lastIndexOf(META_DELIMITER);
  if (at < 0) return `the program ended without its record: there is no ${META_DELIMITER} in what it said`;
  const raw = stdout.slice(at + META_DELIMITER.length).trim();
  const id = raw.split(',', 1)[0]?.trim() ?? '';
  if (!/^[\w][\w.:-]*$/.test(id)) return 'the record of the program has no id before its first comma';
  return { id, raw };
}

/** Date and time to the second, with a zone or without: then it is UTC. */
const instants = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/g;

function millisecondsOf(text: string): number {
  const [, date, time, zone = 'Z'] = /^(\S{10})[T ](\S{8})\S*? ?(Z|UTC|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  return Date.parse(`${date}T${time}${offset}`);
}

/**
 * The moment a backup shows, and when it was done. The record says so; if it does not, no data that was written after the
 * Job began is sure to be in it, and it was done by now.
 */
export function timesOf({ raw }: BackupRecord, job: Job, now: number): { readonly at: string; readonly done: string } {
  const told = [...raw.matchAll(instants)].map(([text]) => millisecondsOf(text)).filter(Number.isFinite);
  const began = job.status?.startTime ?? formatTime(now);
  const [at = Date.parse(began), done = now] = told;
  return { at: formatTime(at), done: formatTime(done) };
}

/** What leads from a Backup to the BackupJob it came of: also to one of that name that is gone. */
function labelsOf({ metadata: { namespace = '', name, uid = '' } }: BackupJob): Readonly<Record<string, string>> {
  return { ...setLabels('BackupJob', namespace, name), [LABEL_OWNER_UID]: uid };
}

/** The Backup that came of a BackupJob, by the server itself. */
export async function findBackup({ client, object, signal }: ActorContext<BackupJob>): Promise<Backup | undefined> {
  const { items } = await client.of(Backup).list({ labels: labelsOf(object), signal });
  return items[0];
}

/** What was backed up, as text. */
export function sourceRefOf({ metadata: { namespace }, spec: { source } }: BackupJob): string {
  return source.clusterRef
    ? `matrixonecluster/${namespace}/${source.clusterRef}`
    : `cnset/${namespace}/${source.cnSetRef}`;
}

/** Names of the Backup, the preferred one first. Backups have no namespace, so the first may be another's. */
function namesOf({ metadata: { name, uid = '' } }: BackupJob, id: string): readonly string[] {
  const short = id
    .slice(0, 5)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .replace(/-+$/, '');
  const preferred = short === '' ? name : `${name}-${short}`;
  return [preferred, `${preferred}-${uid}`];
}

/** Makes the Backup of a BackupJob, unless it is there. Whoever repeats it, and how often, there is one. */
export async function recordBackup(
  context: ActorContext<BackupJob>,
  report: JobReport,
  job: Job,
): Promise<Backup | string> {
  const record = recordIn(report.stdout);
  if (typeof record === 'string') return record;
  const { client, clock, object, signal } = context;
  const found = await findBackup(context);
  if (found) return found;
  const { at, done } = timesOf(record, job, clock.now());
  const meta = {
    location: object.spec.target,
    id: record.id,
    atTime: at,
    completeTime: done,
    sourceRef: sourceRefOf(object),
    raw: record.raw,
  };
  const labels = labelsOf(object);
  const names = namesOf(object, record.id);
  for (const name of names) {
    try {
      return await client.of(Backup).create({ metadata: { name, labels }, meta }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const there = await client.of(Backup).find({ name }, { signal });
      if (there && there.metadata.labels?.[LABEL_OWNER_UID] === object.metadata.uid) return there;
    }
  }
  throw new Error(`the names ${names.join(' and ')} are taken by Backups of others; delete or rename them`);
}
