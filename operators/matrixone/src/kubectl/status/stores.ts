import type { Pod } from '@coxswain/k8s';
import { isReady } from '@coxswain/runtime/apply';
import { FINALIZER_CONFIRM_DELETION, leadsOf } from '../../api/index.ts';
import type { Health, StatusNode } from './node.ts';
import { known } from './node.ts';
import { elapsed, lasting, lifecycle, podFacts, podTrouble } from './pod.ts';

/** A store as the status of its set tells of it. */
interface Told {
  readonly podName?: string;
  readonly phase?: string;
  readonly lastTransition?: string;
}

export interface StoresInput {
  readonly available?: readonly Told[];
  readonly failed?: readonly Told[];
  readonly pods: readonly Pod[];
  /** Pods could not be read: none is known to be gone. */
  readonly podsUnread?: true | undefined;
  /** The image the set wants. */
  readonly image?: string | undefined;
  readonly now: number;
}

/** Stores that know themselves by their ordinal: of the log service, of transaction. Pods of which the status does not tell yet come too. */
export function storeNodes(input: StoresInput): readonly StatusNode[] {
  const told = new Map([...(input.available ?? []), ...(input.failed ?? [])].map((store) => [store.podName, store]));
  const names = new Set([...told.keys(), ...input.pods.map(({ metadata }) => metadata.name)]);
  return [...names]
    .filter((name) => name !== undefined)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => {
      const pod = input.pods.find(({ metadata }) => metadata.name === name);
      return storeNode(name, told.get(name), pod, input);
    });
}

function storeNode(
  name: string,
  told: Told | undefined,
  pod: Pod | undefined,
  { image, now, podsUnread }: StoresInput,
): StatusNode {
  const since = told?.lastTransition;
  const said = told ? `${told.phase}${lasting(since, now)}` : 'not known yet';
  const isSaidUp = told?.phase === 'Up';
  // the status is behind what its pod says, or nobody writes it any more
  const isUp = isSaidUp && (podsUnread ?? (pod !== undefined && isRunning(pod)));
  const state = isSaidUp && !isUp ? `said to be ${said}${pod ? ', and not ready' : ''}` : said;
  const shards = pod ? ledShards(pod) : [];
  const text = [state, ...(shards.length > 0 ? [leaderText(shards)] : [])].join(', ');
  return {
    ...podNode(
      name,
      podsUnread ? 'unread' : pod,
      isUp ? 'ok' : pod && podTrouble(pod) ? 'failed' : 'waiting',
      text,
      image,
    ),
    facts: known({
      state: told?.phase,
      since,
      seconds: seconds(since, now),
      leadsShards: shards.join() || undefined,
      ...(pod ? podFacts(pod, image) : {}),
    }),
  };
}

function isRunning(pod: Pod): boolean {
  return isReady(pod) && !pod.metadata.deletionTimestamp;
}

/** The shards that a store was last known to lead; of one that does not run that is over. */
function ledShards(pod: Pod): readonly number[] {
  return isRunning(pod) ? leadsOf(pod) : [];
}

/** `leader of HAKeeper, shard 1`: shard 0 is HAKeeper's own. */
function leaderText(shards: readonly number[]): string {
  return `leader of ${shards.map((shard) => (shard === 0 ? 'HAKeeper' : `shard ${shard}`)).join(', ')}`;
}

function seconds(since: string | undefined, now: number): number | undefined {
  const ms = elapsed(since, now);
  return ms === undefined ? undefined : Math.floor(ms / 1000);
}

/** A pod with what is said of it, and what Kubernetes and OpenKruise add to that. @param found `undefined`: it is gone */
export function podNode(
  name: string,
  found: Pod | 'unread' | undefined,
  health: Health,
  state: string,
  image?: string,
): StatusNode {
  const pod = found === 'unread' ? undefined : found;
  const parts = [
    state,
    ...(found ? [] : ['its pod is gone']),
    ...(pod?.metadata.deletionTimestamp ? ['is being deleted'] : []),
    ...(pod?.metadata.finalizers?.includes(FINALIZER_CONFIRM_DELETION)
      ? [`kept for a person to look at; take its finalizer ${FINALIZER_CONFIRM_DELETION} off to let it go`]
      : []),
    ...(pod ? [lifecycle(pod), podTrouble(pod)] : []),
  ];
  return {
    kind: 'Pod',
    name,
    health,
    summary: parts.filter(Boolean).join('; '),
    facts: pod ? podFacts(pod, image) : {},
    conditions: [],
    children: [],
  };
}
