import { Job, type Kind, type KubeObject, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { controllerOf } from '@coxswain/runtime/controller';
import { type Clock, parseTime } from '@coxswain/runtime/core';
import type { Rule } from '@coxswain/testing';
import {
  ANNOTATION_DRAINING_START,
  BucketClaim,
  CNClaim,
  CNSet,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  LogSet,
  podOf,
  RestoreJob,
} from '../api/index.ts';
import { phaseOfClaim, placeOfClaim } from '../buckets/claims.ts';
import { drainTimeout } from '../cnstore/drain.ts';
import { placesOverlap } from '../identity/index.ts';
import type { Sessions } from './test-sessions.ts';

/** What the invariants look at. */
export const watchedKinds: readonly Kind[] = [
  Pod,
  PersistentVolumeClaim,
  Job,
  KruiseStatefulSet,
  LogSet,
  CNSet,
  CNClaim,
  BucketClaim,
  RestoreJob,
];

const title = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
const isReady = ({ status }: Pod) => status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');

/** What holds at any moment of any life, whatever the operators meet. */
export function invariants({
  clock,
  sessions,
}: {
  readonly clock: Clock;
  readonly sessions: Sessions;
}): Readonly<Record<string, Rule>> {
  return {
    'a bucket path has one owner': oneOwner,
    'a bucket path has one database': oneDatabase,
    'only data that is nobody’s is removed': cleaned,
    'no data is removed while a log store runs on it': emptied,
    'a majority of the log stores is there': majority(),
    'no compute node is stopped with sessions while its drain has time left': drained(sessions, clock),
    'what is done by a Job is done once': once(),
    'a pod has one claim': oneClaim,
  };
}

const oneOwner: Rule = (stores) => {
  const owners = [...stores.store(BucketClaim).list()].filter((claim) =>
    ['InUse', 'Deleting'].includes(phaseOfClaim(claim)),
  );
  const clash = owners.find((one) =>
    owners.some((other) => other !== one && placesOverlap(placeOfClaim(one), placeOfClaim(other))),
  );
  return clash && `${title(clash)} is not alone`;
};

/** The lives here have no two log services that do not want the same path. */
const oneDatabase: Rule = (stores) => {
  const logs = [...stores.store(KruiseStatefulSet).list()].filter(({ metadata }) => metadata.name.endsWith('-log'));
  return logs.length > 1 ? logs.map(title).join(' and ') : undefined;
};

const cleaned: Rule = (stores) => {
  const jobs = new Set([...stores.store(Job).list()].map(({ metadata }) => metadata.name));
  const kept = [...stores.store(BucketClaim).list()].find(
    (claim) => jobs.has(`job-${claim.metadata.name}`) && phaseOfClaim(claim) !== 'Deleting',
  );
  return kept && `${title(kept)} is ${phaseOfClaim(kept)}`;
};

/**
 * All log services of these lives have one path. What a write that was on its way makes for one that is gone is not counted: the garbage collector has
 * it at once, and no request can be bound to the existence of an owner.
 */
const emptied: Rule = (stores) => {
  const job = [...stores.store(Job).list()].find(
    ({ metadata, status }) => metadata.name.startsWith('job-bucket-') && !status?.completionTime,
  );
  const pod = [...stores.store(Pod).list({ labels: { [LABEL_COMPONENT]: 'LogSet' } })].find(
    ({ metadata: { namespace = '', labels } }) =>
      stores.store(LogSet).get({ namespace, name: labels?.[LABEL_INSTANCE] ?? '' }) !== undefined,
  );
  return job && pod && `${title(job)} works while ${title(pod)} is there`;
};

/** From when all were ready until it is deleted. Users and nodes of these lives take one store at most, and not from five. */
function majority(): Rule {
  const complete = new Set<string>();
  return (stores) => {
    for (const log of stores.store(LogSet).list()) {
      const { uid = '', namespace = '', name, deletionTimestamp } = log.metadata;
      if (deletionTimestamp) continue;
      const labels = { [LABEL_COMPONENT]: 'LogSet', [LABEL_INSTANCE]: name };
      const ready = [...stores.store(Pod).list({ namespace, labels })].filter(isReady).length;
      const volumes = [...stores.store(PersistentVolumeClaim).list({ namespace, labels })].length;
      const shard = log.spec.initialConfig?.logShardReplicas ?? 3;
      if (ready >= log.spec.replicas) complete.add(uid);
      // One store alone is its own majority, and cannot be upgraded but by taking it.
      const least = log.spec.replicas === 1 ? 0 : Math.floor(shard / 2) + 1;
      if (complete.has(uid) && (ready < least || volumes < Math.max(least, 1)))
        return `${title(log)} has ${ready} stores that are ready and ${volumes} volumes`;
    }
    return undefined;
  };
}

function drained(sessions: Sessions, clock: Clock): Rule {
  const seen = new Set<string>();
  return (stores) => {
    for (const pod of stores.store(Pod).list({ labels: { [LABEL_COMPONENT]: 'CNSet' } })) {
      const { uid = '', name, namespace = '', deletionTimestamp, annotations, labels } = pod.metadata;
      if (!deletionTimestamp || seen.has(uid)) continue;
      seen.add(uid);
      const set = stores.store(CNSet).get({ namespace, name: labels?.[LABEL_INSTANCE] ?? '' });
      const isDrained = set?.spec.scalingConfig?.storeDrainEnabled && !set.metadata.deletionTimestamp;
      const isEmptied = set?.metadata.deletionTimestamp && set.spec.terminationPolicy === 'Drain';
      if (!(isDrained || isEmptied) || sessions.of(name) === 0) continue;
      const began = annotations?.[ANNOTATION_DRAINING_START];
      const elapsed = began === undefined ? 0 : clock.now() - parseTime(began);
      if (elapsed <= drainTimeout(set?.spec.scalingConfig))
        return `${title(pod)} after ${elapsed / 1000}s of its drain`;
    }
    return undefined;
  };
}

/** Of all Jobs that one BackupJob or RestoreJob has ever had, one was let run. */
function once(): Rule {
  const started = new Map<string, string>();
  return (stores) => {
    for (const job of stores.store(Job).list()) {
      const owner = controllerOf(job);
      if (!owner || !['BackupJob', 'RestoreJob'].includes(owner.kind) || job.spec?.suspend) continue;
      const { uid = '' } = job.metadata;
      const first = started.get(owner.uid) ?? uid;
      started.set(owner.uid, first);
      if (first !== uid) return `${owner.kind} ${owner.name} was done again`;
    }
    return undefined;
  };
}

const oneClaim: Rule = (stores) => {
  const holders = new Map<string, string>();
  for (const claim of stores.store(CNClaim).list()) {
    const pod = podOf(claim);
    if (pod === undefined || claim.metadata.deletionTimestamp) continue;
    const other = holders.get(pod);
    if (other !== undefined) return `${pod} is held by ${other} and ${title(claim)}`;
    holders.set(pod, title(claim));
  }
  return undefined;
};
