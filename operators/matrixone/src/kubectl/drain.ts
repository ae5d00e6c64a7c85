import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { formatTime, keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_STORE_CORDON, CONDITION_CN_STORE } from '../api/index.ts';
import { UnmetError } from './errors.ts';
import { computeNodes } from './nodes.ts';
import { type Session, waitUntil } from './session.ts';
import { loadText, notedLoad } from './status/compute.ts';
import { elapsed, podTrouble } from './status/pod.ts';
import { plain } from './text.ts';

const defaultTimeout = 600_000;
/**
 * Milliseconds for which a node must have been out of service before "no sessions" counts: proxies may still send it some, and the
 * operator counts anew within 20 s.
 */
const settling = 30_000;

/** `drain`: keeps nodes out of service until `undrain`. With `--wait`, until they serve nothing more. */
export function drain(session: Session): Promise<number> {
  return cordon(session, true);
}

/** `undrain`: puts nodes back into service. With `--wait`, until they take sessions. */
export function undrain(session: Session): Promise<number> {
  return cordon(session, false);
}

async function cordon(session: Session, isOut: boolean): Promise<number> {
  const { client, clock, line, screen, signal } = session;
  const timeout = line.duration('timeout') ?? defaultTimeout;
  const nodes = await computeNodes(session);
  for (const pod of nodes) {
    const isSo = (pod.metadata.annotations?.[ANNOTATION_STORE_CORDON] !== undefined) === isOut;
    const annotations = { [ANNOTATION_STORE_CORDON]: isOut ? formatTime(clock.now()) : null };
    if (!isSo) await client.of(Pod).patch(keyOf(pod), merge({ metadata: { annotations } }), { signal });
    const done = isOut ? 'drained' : 'undrained';
    screen.write(`pod/${plain(pod.metadata.name)} ${isSo ? `is being ${done} already` : `is being ${done}`}\n`);
  }
  if (!line.isSet('wait')) return 0;
  const missing = isOut ? leftOn : notServing;
  const gone = new Set<string>();
  await waitUntil(session, timeout, async () => {
    const left = await Promise.all(nodes.map((pod) => whyNot(session, pod, missing, gone)));
    return left.filter((why) => why !== undefined).join('; ') || undefined;
  });
  // one that has gone has nothing left on it, but takes no sessions
  if (!isOut && gone.size > 0) throw new UnmetError(`gone, and not back in service: ${[...gone].join(', ')}`);
  screen.write(isOut ? 'nothing is left on them\n' : 'they take sessions\n');
  return 0;
}

/** What is missing on one node, with its name. One that has gone lacks nothing, and is noted. */
async function whyNot(
  { client, clock, signal }: Session,
  { metadata: { namespace = '', name, uid } }: Pod,
  missing: (pod: Pod, now: number) => string | undefined,
  gone: Set<string>,
): Promise<string | undefined> {
  const pod = await client.of(Pod).find({ namespace, name }, { signal });
  if (!pod || pod.metadata.uid !== uid) return void gone.add(name);
  const why = missing(pod, clock.now());
  return why === undefined ? undefined : `${name} ${why}`;
}

function gateOf(pod: Pod) {
  return pod.status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);
}

function leftOn(pod: Pod, now: number): string | undefined {
  const gate = gateOf(pod);
  if (gate?.status !== 'False' || gate.reason !== 'CNStoreCordon')
    return 'waits for the operator to take it out of service';
  const load = notedLoad(pod);
  if (!load) return 'has a load that is not known';
  if (load.sessions + load.pipelines + load.replicas > 0) return `has ${loadText(load)}`;
  const since = pod.metadata.annotations?.[ANNOTATION_STORE_CORDON];
  const out = elapsed(since, now) ?? elapsed(gate.lastTransitionTime ?? undefined, now) ?? settling;
  return out < settling ? 'is empty; sessions may be on their way to it' : undefined;
}

function notServing(pod: Pod): string | undefined {
  const gate = gateOf(pod);
  if (gate?.status === 'True') return undefined;
  return gate?.message || podTrouble(pod) || 'waits for the operator to put it into service';
}
