import { type Kind, type KubeObject, Pod } from '@coxswain/k8s';
import { isReady, isTrueAt } from '@coxswain/runtime/apply';
import { evict, merge } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { ApiError, keyOf } from '@coxswain/runtime/core';
import {
  CNSet,
  DNSet,
  KRUISE_SPECIFIED_DELETE,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  type SetKind,
  setLabels,
  WebUI,
} from '../api/index.ts';
import { UnmetError, UsageError } from './errors.ts';
import { componentOf, components } from './options.ts';
import { type Session, waitUntil } from './session.ts';
import { elapsed } from './status/pod.ts';
import { plain } from './text.ts';

const defaultTimeout = 900_000;
/** Milliseconds for which all log stores must have been up before the next one is replaced: its replicas have to join again. */
const logSettling = 30_000;

/** How the server refuses what is meant for a pod that is gone, or another one of its name by now. */
const replacedCodes: ReadonlySet<number> = new Set([404, 409, 422]);

type AnySet = LogSet | DNSet | CNSet | ProxySet | WebUI;

const kinds = { LogSet, DNSet, CNSet, ProxySet, WebUI } as const satisfies Record<SetKind, Kind>;

/** Of these OpenKruise makes the new pod first and, where it shall, has the old one drained; others are evicted. */
const replacedByKruise: ReadonlySet<SetKind> = new Set(['CNSet', 'ProxySet']);

/** `restart`: replaces the pods of a cluster one by one, in the order in which it is upgraded. */
export async function restart(session: Session): Promise<number> {
  const { client, line, namespace, screen, signal } = session;
  const [name, ...rest] = line.args;
  if (name === undefined || rest.length > 0) throw new UsageError('name one MatrixOneCluster');
  const only = componentOf(line);
  const timeout = line.duration('timeout') ?? defaultTimeout;
  const cluster = await client.of(MatrixOneCluster).find({ namespace, name }, { signal });
  if (!cluster) throw new UnmetError(`there is no MatrixOneCluster ${name} in namespace ${namespace}`);
  let count = 0;
  for (const kind of only ? [components[only]] : Object.values(components))
    for (const set of await setsOf(session, kind, cluster)) count += await restartSet(session, kind, set, timeout);
  screen.write(`${count} pods of ${plain(name)} were replaced\n`);
  return 0;
}

async function setsOf(
  { client, namespace, signal }: Session,
  kind: SetKind,
  cluster: MatrixOneCluster,
): Promise<readonly AnySet[]> {
  const { items } = await client
    .of<AnySet>(kinds[kind] as Kind<KubeObject> as Kind<AnySet>)
    .list({ namespace, signal });
  return items.filter((set) => controllerOf(set)?.uid === cluster.metadata.uid);
}

async function podsOf({ client, namespace, signal }: Session, kind: SetKind, name: string): Promise<readonly Pod[]> {
  const { items } = await client.of(Pod).list({ namespace, labels: setLabels(kind, namespace, name), signal });
  return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true }));
}

/** @returns how many pods were replaced */
async function restartSet(session: Session, kind: SetKind, set: AnySet, timeout: number): Promise<number> {
  const { name } = set.metadata;
  const title = `${kind} ${name}`;
  const old = await podsOf(session, kind, name);
  if (kind === 'CNSet' && !(set as CNSet).spec.scalingConfig?.storeDrainEnabled && old.length > 0)
    session.note(`${title}: its nodes are not drained (scalingConfig.storeDrainEnabled is off), so sessions are cut`);
  for (const pod of old) {
    await waitUntil(session, timeout, () => unsettled(session, kind, set));
    session.screen.write(`pod/${plain(pod.metadata.name)} is being replaced\n`);
    await waitUntil(session, timeout, () => replace(session, kind, pod));
    await waitUntil(session, timeout, () => unreplaced(session, kind, set, pod));
  }
  await waitUntil(session, timeout, () => unsettled(session, kind, set));
  return old.length;
}

/** Asks for a pod to be replaced. @returns why that is not possible now */
async function replace({ client, signal }: Session, kind: SetKind, pod: Pod): Promise<string | undefined> {
  const { name, uid = '' } = pod.metadata;
  try {
    if (replacedByKruise.has(kind)) {
      const metadata = { uid, labels: { [KRUISE_SPECIFIED_DELETE]: 'true' } };
      await client.of(Pod).patch(keyOf(pod), merge({ metadata }), { signal });
    } else await evict(client, keyOf(pod), { preconditions: { uid }, signal });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && replacedCodes.has(error.code)) return undefined;
    if (error instanceof ApiError && error.code === 429) return `${name} may not go yet: ${error.message}`;
    throw error;
  }
}

/** Why an old pod does not count as replaced: it is there, or there are not as many others as there shall be. */
async function unreplaced(
  session: Session,
  kind: SetKind,
  { metadata: { name }, spec }: AnySet,
  { metadata: old }: Pod,
): Promise<string | undefined> {
  const pods = await podsOf(session, kind, name);
  const there = pods.find(({ metadata }) => metadata.uid === old.uid);
  if (there) {
    const gate = there.status?.conditions?.find(({ type, message }) => type.includes('cn-store') && message);
    return `${old.name} is going${gate ? `, ${gate.message}` : ''}`;
  }
  const ready = pods.filter(
    ({ metadata, status }) => !metadata.deletionTimestamp && isReady({ metadata, status } as KubeObject),
  );
  const wanted = spec?.replicas ?? 1;
  return ready.length < wanted ? `${ready.length} of ${wanted} pods of ${kind} ${name} are ready` : undefined;
}

/** Why a set is not at rest, in its own words. */
async function unsettled(
  { client, clock, signal }: Session,
  kind: SetKind,
  { metadata }: AnySet,
): Promise<string | undefined> {
  const set = await client
    .of(kinds[kind] as Kind<KubeObject> as Kind<AnySet>)
    .find(keyOf({ metadata } as KubeObject), { signal });
  if (!set) throw new UnmetError(`${kind} ${metadata.name} has gone`);
  const type = ['Ready', 'Synced'].find((candidate) => !isTrueAt(set, candidate));
  if (type !== undefined) {
    const said = set.status?.conditions?.find((condition) => condition.type === type)?.message;
    return `${kind} ${metadata.name}: ${said || `${type} is not known`}`;
  }
  if (kind !== 'LogSet') return undefined;
  const young = ((set as LogSet).status?.availableStores ?? []).find(
    ({ lastTransition }) => (elapsed(lastTransition, clock.now()) ?? logSettling) < logSettling,
  );
  return young && `${young.podName} is up for less than ${logSettling / 1000}s`;
}
