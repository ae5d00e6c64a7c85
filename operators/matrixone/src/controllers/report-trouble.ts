import { Deployment, type KubeObject, type Pod, Secret } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import type { LogSet, S3Storage, SetKind } from '../api/index.ts';
import { podsOf } from './children.ts';
import { logSetOf } from './log-view.ts';
import { type PodTrouble, podTrouble, untilUnschedulable } from './pod-trouble.ts';
import { pendingRollout, type Rolled } from './rollout.ts';
import { storageHint } from './storage-hint.ts';

/** The condition that says why pods of a set do not get ready; there only while it is so. */
export const CONDITION_PODS_FAILING = 'PodsFailing';

/** Conditions by which workloads say that their pods are not made. */
const refusals: ReadonlySet<string | undefined> = new Set(['FailedCreatePod', 'FailedScale', 'ReplicaFailure']);
/** Milliseconds between looks at pods in trouble. */
const troubleAgain = 30_000;
/** Pods named for one cause, and causes told. */
const [mostNames, mostCauses] = [3, 3];

interface Workload extends Rolled {
  readonly status?: Rolled['status'] & {
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly message?: string }[];
  };
}

/** Why pods of a set do not get ready. */
export interface SetTrouble {
  /** All causes in one sentence; absent: no pod is in trouble. */
  readonly message?: string;
  /** By the names of pods. */
  readonly ofPods: ReadonlyMap<string, PodTrouble>;
  /** Milliseconds until it is to be said of pods that no node takes them, unless one does: nothing happens then that would wake the controller. */
  readonly after?: number;
}

/** Tells why pods of a set do not get ready: in the condition `PodsFailing`, and in an event for each new cause. */
export async function reportTrouble<T extends KubeObject>(
  context: ActorContext<T>,
  kind: SetKind,
  workload: Workload,
): Promise<SetTrouble> {
  const { conditions, event } = context;
  const pods = withoutReplaced([...podsOf(context, kind)], workload).sort((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
  const ofPods = await troublesOf(context, pods, storageOf(context, kind));
  const soon = pods.map((pod) => untilUnschedulable(pod, context.clock.now())).filter((time) => time !== undefined);
  const next = soon.length > 0 ? { after: Math.min(...soon) } : {};
  const causes = [...refusal(workload, pods), ...byCause(ofPods)];
  const [first] = causes;
  if (!first) {
    conditions.remove(CONDITION_PODS_FAILING);
    return { ofPods, ...next };
  }
  const more = causes.length > mostCauses ? [`and ${causes.length - mostCauses} more causes`] : [];
  const message = [...causes.slice(0, mostCauses).map((cause) => cause.message), ...more].join('; ');
  const isNew = conditions.get(CONDITION_PODS_FAILING)?.message !== message;
  if (isNew) event({ type: 'Warning', reason: CONDITION_PODS_FAILING, message });
  conditions.set(CONDITION_PODS_FAILING, 'True', first.reason, message);
  return { message, ofPods, ...next };
}

/**
 * Without pods that have failed where there are as many others as are wanted: nobody but the garbage collector of pods looks at them any more. While
 * new pods come the others may be old ones, and the failed what an update waits for.
 */
function withoutReplaced(pods: Pod[], workload: Workload): Pod[] {
  const { kind, spec } = workload;
  // A Deployment does not tell of its new pods that are ready.
  if (kind !== Deployment.kind && pendingRollout(workload) !== undefined) return pods;
  const others = pods.filter(({ metadata, status }) => metadata.deletionTimestamp || status?.phase !== 'Failed');
  const alive = others.filter(({ metadata }) => !metadata.deletionTimestamp);
  return alive.length >= (spec.replicas ?? 1) ? others : pods;
}

/**
 * Ends the pass of a set that is as its spec says, with pods in trouble all the same: not all that they say wakes the controller.
 * Those that depend on the set do not wait for it.
 * @param after milliseconds to the next look
 * @throws Resync always
 */
export function watchTrouble<T extends KubeObject>(
  { conditions }: ActorContext<T>,
  trouble: string,
  after = troubleAgain,
): never {
  conditions.set('Synced', 'True', 'ReconcileSuccess', 'the object is synced');
  throw new Resync(trouble, after);
}

/** What the API server says to a workload whose pods it refuses: a quota, a policy, a webhook of others. */
function refusal({ kind, metadata, spec, status }: Workload, pods: readonly Pod[]): readonly PodTrouble[] {
  const alive = pods.filter((pod) => !pod.metadata.deletionTimestamp).length;
  const failed = status?.conditions?.find(({ type, status: holds }) => refusals.has(type) && holds === 'True');
  if (!failed || alive >= (spec.replicas ?? 1)) return [];
  // The names of pods that were tried differ from time to time.
  const why = (failed.message ?? '').replaceAll(/pods "[^"]*"/g, 'pods').slice(0, 500);
  return [{ reason: 'PodsRefused', message: `${kind ?? 'the workload'} ${metadata.name} cannot make pods: ${why}` }];
}

async function troublesOf<T extends KubeObject>(
  context: ActorContext<T>,
  pods: readonly Pod[],
  s3: S3Storage | undefined,
): Promise<ReadonlyMap<string, PodTrouble>> {
  const troubles = new Map<string, PodTrouble>();
  for (const pod of pods) {
    const trouble = podTrouble(pod, context.clock.now());
    if (!trouble) continue;
    const missing = trouble.reason === 'VolumesMissing' ? await missingSecret(context, pod) : undefined;
    troubles.set(pod.metadata.name, missing ?? withHint(trouble, s3));
  }
  return troubles;
}

/** The object storage that the pods of a set ask for at their start; proxies ask for none. */
function storageOf<T extends KubeObject>(context: ActorContext<T>, kind: SetKind): S3Storage | undefined {
  if (kind === 'LogSet') return (context.object as KubeObject as LogSet).spec.sharedStorage.s3;
  return kind === 'DNSet' || kind === 'CNSet' ? logSetOf(context)?.spec.sharedStorage.s3 : undefined;
}

function withHint(trouble: PodTrouble, s3: S3Storage | undefined): PodTrouble {
  return trouble.mayBeStorage && s3 ? { ...trouble, message: `${trouble.message}; ${storageHint(s3)}` } : trouble;
}

/** One for each cause, with the pods that have it. */
function byCause(troubles: ReadonlyMap<string, PodTrouble>): readonly PodTrouble[] {
  const causes = Map.groupBy(troubles, ([, { message }]) => message);
  return [...causes].map(([message, pods]) => {
    const rest = pods.length - mostNames;
    const names = pods.slice(0, mostNames).map(([name]) => name);
    const who = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
    return { reason: pods[0]?.[1].reason ?? '', message: `${who}: ${message}` };
  });
}

/** The Secret that a pod waits to mount: kubelets tell of it in events only. */
async function missingSecret<T extends KubeObject>(
  { client, signal }: ActorContext<T>,
  pod: Pod,
): Promise<PodTrouble | undefined> {
  const { namespace = '' } = pod.metadata;
  for (const { secret } of pod.spec?.volumes ?? []) {
    if (!secret?.secretName || secret.optional) continue;
    const found = await client.of(Secret).find({ namespace, name: secret.secretName }, { signal });
    const absent = secret.items?.find(({ key }) => found?.data?.[key] === undefined);
    if (found && !absent) continue;
    const what = found ? `has no key ${absent?.key}` : 'is not there';
    const message = `its containers are not made: Secret ${secret.secretName}, which it mounts, ${what}`;
    return { reason: 'SecretMissing', message };
  }
  return undefined;
}
