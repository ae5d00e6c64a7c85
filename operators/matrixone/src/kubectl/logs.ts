import { Pod } from '@coxswain/k8s';
import { ApiError, isNotFound, parseTime, sleep } from '@coxswain/runtime/core';
import { LABEL_CLUSTER, LABEL_COMPONENT, LABEL_INSTANCE, type SetKind } from '../api/index.ts';
import { ContainerLog, type LogLine, type LogStart } from './container-log.ts';
import { UnmetError, UsageError } from './errors.ts';
import { componentOf, components } from './options.ts';
import { type Session, unlessCutOff } from './session.ts';
import { plain, plainLine } from './text.ts';

/** Milliseconds between looks for what is new. */
const lookAgain = 1_000;
const defaultTail = 10;

interface Wanted {
  readonly name: string;
  readonly component?: SetKind;
  readonly container?: string;
  readonly start: LogStart;
}

/** A line with what wrote it. */
interface Told extends LogLine {
  readonly prefix: string;
}

/** The logs that are read, by pod and container. A pod of the same name that comes later is another one. */
type Logs = Map<string, Reading>;

interface Reading {
  readonly log: ContainerLog;
  /** Why it could not be read last; that is told when it changes. */
  refusal?: string | undefined;
}

/** `logs NAME`: of the pods of a cluster, or of a set that stands alone. */
export async function logs(session: Session): Promise<number> {
  const { clock, line, namespace, signal } = session;
  const wanted = wantedOf(session);
  const known: Logs = new Map();
  const isOn = line.isSet('follow');
  if (!(await tell(session, wanted, known, wanted.start)) && !isOn)
    throw new UnmetError(
      `there is no pod of a MatrixOneCluster or set "${wanted.name}" in namespace ${namespace}, or no container of it that fits`,
    );
  // of what could not be read it is not known whether there was anything to tell
  if (!isOn) return [...known.values()].some(({ refusal }) => refusal !== undefined) ? 1 : 0;
  for (;;) {
    await sleep(clock, lookAgain, signal);
    const cutOff = await unlessCutOff(() => tell(session, wanted, known, {}));
    if (typeof cutOff === 'string') session.note(`${cutOff}; trying again`);
  }
}

function wantedOf({ clock, line }: Session): Wanted {
  const [name, ...rest] = line.args;
  if (name === undefined || rest.length > 0) throw new UsageError('name one MatrixOneCluster, or one set');
  const component = componentOf(line);
  const container = line.text('container');
  const since = line.duration('since');
  const tail = tailOf(line.text('tail'), since === undefined ? defaultTail : -1);
  return {
    name,
    ...(component ? { component: components[component] } : {}),
    ...(container === undefined ? {} : { container }),
    start: startOf(tail, since, clock.now()),
  };
}

/** @param since milliseconds */
function startOf(tail: number, since: number | undefined, now: number): LogStart {
  if (tail === 0) return { since: now };
  return { ...(since === undefined ? {} : { since: now - since }), ...(tail < 0 ? {} : { tail }) };
}

function tailOf(text: string | undefined, initial: number): number {
  if (text === undefined) return initial;
  const tail = Number(text);
  if (!Number.isInteger(tail) || tail < -1)
    throw new UsageError(`--tail is "${text}"; give a number of lines, or --tail=-1 for all`);
  return tail;
}

/** Writes what is new, in the order of time. @param start where logs begin that were not known before. @returns whether there is any log */
async function tell(session: Session, wanted: Wanted, known: Logs, start: LogStart): Promise<boolean> {
  const { client, line, namespace, screen, signal } = session;
  const { items } = await client.of(Pod).list({ namespace, labels: LABEL_COMPONENT, signal });
  const pods = items.filter((pod) => isOf(pod, wanted));
  const there = new Set<string>();
  const pieces = pods.flatMap((pod) =>
    containersOf(pod, wanted.container).map(async (container): Promise<readonly Told[]> => {
      const { name, uid } = pod.metadata;
      const key = `${uid}/${container}`;
      there.add(key);
      const reading = known.get(key) ?? { log: new ContainerLog(client, { namespace, pod: name, container }, start) };
      known.set(key, reading);
      const lines = await read(session, pod, container, reading);
      return lines.map((told) => ({ ...told, prefix: `${name}/${container}` }));
    }),
  );
  const lines = (await Promise.all(pieces)).flat();
  for (const key of known.keys()) if (!there.has(key)) known.delete(key);
  for (const told of inOrder(lines)) {
    const time = line.isSet('timestamps') ? `${told.stamp} ` : '';
    screen.write(`[${plain(told.prefix)}] ${time}${plainLine(told.text)}\n`);
  }
  return there.size > 0;
}

function isOf({ metadata: { labels } }: Pod, { name, component }: Wanted): boolean {
  if (component !== undefined && labels?.[LABEL_COMPONENT] !== component) return false;
  return labels?.[LABEL_CLUSTER] === name || labels?.[LABEL_INSTANCE] === name;
}

function containersOf({ spec }: Pod, only: string | undefined): readonly string[] {
  const names = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name);
  return only === undefined ? names : names.filter((name) => name === only);
}

/**
 * One that has just gone has written nothing. One that has not started, or whose node does not answer, holds up none of the others: why is told,
 * while it is followed only of nodes.
 */
async function read(
  { line, note, signal }: Session,
  pod: Pod,
  container: string,
  reading: Reading,
): Promise<readonly LogLine[]> {
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const restarts = statuses.find(({ name }) => name === container)?.restartCount ?? 0;
  const before = reading.refusal;
  try {
    const lines = await reading.log.next(restarts, signal);
    reading.refusal = undefined;
    return lines;
  } catch (error) {
    if (isNotFound(error)) return [];
    if (!(error instanceof ApiError) || !(error.code === 400 || error.code >= 500)) throw error;
    reading.refusal = error.message;
    const isAwaited = error.code === 400 && line.isSet('follow');
    if (!isAwaited && reading.refusal !== before) note(`${pod.metadata.name}/${container}: ${error.message}`);
    return [];
  }
}

/** By time; those of one container stay in the order in which they were written. */
function inOrder(lines: readonly Told[]): readonly Told[] {
  const timed = lines.map((line) => ({ line, at: line.stamp === '' ? undefined : parseTime(line.stamp) }));
  let last = Number.NEGATIVE_INFINITY;
  let prefix = '';
  const keyed = timed.map(({ line, at }) => {
    if (line.prefix !== prefix) last = Number.NEGATIVE_INFINITY;
    prefix = line.prefix;
    // a line without a time comes with the one before it
    last = Math.max(last, at ?? last);
    return { line, at: last };
  });
  return keyed.toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ line }) => line);
}
