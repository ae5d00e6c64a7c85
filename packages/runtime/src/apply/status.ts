import type { Condition, Kind, KubeObject } from '@coxswain/k8s';
import { type Client, findSame, merge } from '../client/index.ts';
import { conflict, deepEqual, isConflict, isNotFound, keyOf } from '../core/index.ts';
import { mergeDiff, mergePatched } from './merge-diff.ts';

/** How `writeStatus` writes. */
export interface StatusOptions {
  /** Whether status has its own subresource; default true. */
  readonly subresource?: boolean;
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
  /** The object as it is known to be now, when that is newer than the one the status was computed from. */
  readonly current?: KubeObject;
  /** Called when somebody else has changed the object meanwhile. */
  readonly onConflict?: () => void;
}

type Fields = Readonly<Record<string, unknown>>;

/** The status of an object of any kind; empty when it has none. */
export const statusOf = (object: KubeObject): Fields => (object as { readonly status?: Fields }).status ?? {};

/** Tries before a status that others keep changing is given up as a conflict. */
const tries = 4;

/**
 * Makes the status of an object `status`, starting from `base` (the object the status was computed from). Writes only
 * what differs, and nothing when nothing does. When someone changed the object meanwhile, our changes are laid over
 * theirs: field by field, conditions by their type.
 * @returns the object as it is then; `undefined` when it is gone or another of the same name has taken its place
 * @throws ApiError Conflict when others kept changing it
 */
export async function writeStatus<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  base: T,
  status: Fields,
  options: StatusOptions = {},
): Promise<T | undefined> {
  const { subresource = true, current: newer, onConflict, ...rest } = options;
  const resource = client.of(kind);
  let current = (newer as T | undefined) ?? base;
  for (let i = 0; i < tries; i++) {
    const wanted = current === base ? status : rebaseStatus(statusOf(base), status, statusOf(current));
    const patch = mergeDiff(statusOf(current), wanted);
    if (!patch) return current;
    const { resourceVersion } = current.metadata;
    const body = { ...(resourceVersion ? { metadata: { resourceVersion } } : {}), status: patch };
    try {
      return await resource.patch(keyOf(base), merge(body), {
        ...rest,
        ...(subresource ? { subresource: 'status' } : {}),
      });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error)) throw error;
      onConflict?.();
      const live = await findSame(client, kind, base, rest.signal);
      if (!live) return undefined;
      current = live;
    }
  }
  throw conflict(kind, base.metadata.name, 'its status keeps changing; try again');
}

/**
 * What we changed between `base` and `ours`, laid over `theirs`: field by field, conditions by their type. A condition of theirs that speaks of
 * a newer generation than ours stays.
 */
export function rebaseStatus(base: Fields, ours: Fields, theirs: Fields): Fields {
  const patch = mergeDiff(base, ours);
  if (!patch) return theirs;
  const merged = mergePatched(theirs, patch);
  if ('conditions' in patch) merged.conditions = rebasedConditions(list(base), list(ours), list(theirs));
  return merged;
}

function list(status: Fields): readonly Condition[] {
  return Array.isArray(status.conditions) ? (status.conditions as readonly Condition[]) : [];
}

/** Whether theirs speaks of a generation that we had not seen. */
function isNewer(theirs: Condition, mine: Condition | undefined): boolean {
  return (theirs.observedGeneration ?? 0) > (mine?.observedGeneration ?? theirs.observedGeneration ?? 0);
}

function rebasedConditions(
  base: readonly Condition[],
  ours: readonly Condition[],
  theirs: readonly Condition[],
): readonly Condition[] {
  const find = (conditions: readonly Condition[], type: string) => conditions.find((c) => c.type === type);
  const changed = (type: string) => !deepEqual(find(base, type), find(ours, type));
  const kept = theirs.flatMap((condition) => {
    const mine = find(ours, condition.type);
    if (!changed(condition.type) || isNewer(condition, mine)) return [condition];
    return mine ? [mine] : [];
  });
  return [...kept, ...ours.filter(({ type }) => changed(type) && !find(theirs, type))];
}
