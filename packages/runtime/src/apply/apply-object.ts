import { createHash } from 'node:crypto';
import { apiVersionOf, type Kind, type KubeObject } from '@coxswain/k8s';
import { appliedFields } from '../cache/applied-fields.ts';
import type { Cache } from '../cache/types.ts';
import { apply, type Client, stringifyJson, type WritableKind } from '../client/index.ts';
import { type Clock, deepEqual, isFields, keyOf } from '../core/index.ts';
import type { Applied, ApplyMemory } from './apply-memory.ts';
import { contains } from './contains.ts';
import { checkOwner, checkOwnership, controllerReference, type Owner } from './ownership.ts';
import { saysApplied } from './says-applied.ts';

/** So many fights in a row are a loop. */
const loopAfter = 5;
/** A child left alone for this long starts afresh. */
const peace = 600_000;
const longestPause = 300_000;

/** What `applyObject` writes with, and how. */
export interface ApplyOptions {
  readonly client: Client;
  /** Where the child is looked up before a request is sent; kinds without an informer are always sent. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly memory: ApplyMemory;
  readonly fieldManager: string;
  /** Whether fields that other managers hold are taken over; default true. Else they are a conflict. */
  readonly force?: boolean;
  /** Controls the child; absent: the child stands alone. */
  readonly owner?: Owner;
  readonly signal?: AbortSignal;
  /** Called when applies of one child do not last: another writer keeps undoing them. */
  readonly onLoop?: (message: string) => void;
  /** Called when such a child is left as it is for now, with the milliseconds until it is applied again. */
  readonly onPause?: (left: number) => void;
}

/**
 * Makes a child equal to `desired` where `desired` says something: server-side apply, forced, under the field manager.
 * Sends nothing when the store's object says the same and the server recorded that the field manager applied just that
 * (see `Cache.keepAppliedFields`), or this process applied the same before and the object still says it. When another
 * writer keeps undoing it, the child is left alone for a while, longer each time; `onLoop` and `onPause` are told. A `resourceVersion`
 * in `desired` binds what is sent to that version of the child; it is no part of what the child is to say. A child that is there without a
 * controller is taken, and one that has gone is made again, only while the server knows the owner as one that stays.
 * @returns the child as it is then
 * @throws OwnershipError, ApiError
 */
export async function applyObject<C extends KubeObject, Input extends KubeObject = C>(
  kind: WritableKind<C, Input>,
  desired: NoInfer<Input>,
  options: ApplyOptions,
): Promise<C> {
  const { cache, client, clock, memory, owner } = options;
  const key = keyOf(desired);
  const existing = cache.has(kind) ? cache.store(kind).get(key) : undefined;
  if (owner) checkOwnership(owner, kind, desired, existing);
  const body = applyBody(kind, desired, owner);
  const held = existing && appliedFields(existing, options.fieldManager);
  if (existing && held && saysApplied(existing, body, held)) return existing;
  const hash = hashOf(body);
  const before = memory.get(existing?.metadata.uid);
  const repeated = existing !== undefined && before?.hash === hash;
  const now = clock.monotonic();
  if (repeated && before) {
    if (stillThere(existing, body, before)) return existing;
    const left = before.at + pauseAfter(before.fights) - now;
    if (left > 0) {
      options.onPause?.(left);
      return existing;
    }
  }
  if (owner && cache.has(kind) && isDoubtful(memory, owner, kind, desired, existing))
    await checkOwner(client, owner, options.signal);
  const after = await client.of(kind).patch(key, apply(body), {
    fieldManager: options.fieldManager,
    force: options.force ?? true,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const changed = !existing || isChange(existing, after, repeated ? body : undefined);
  const recent = before !== undefined && now - before.at < peace;
  const fights =
    repeated && changed && before ? (recent ? before.fights + 1 : 1) : recent && repeated ? before.fights : 0;
  remember(memory, after, { hash, fights, at: changed ? now : (before?.at ?? now) });
  if (owner) memory.noteMade(owner, kind, desired);
  if (fights >= loopAfter && changed) options.onLoop?.(loopMessage(kind, desired, fights));
  return after;
}

/**
 * Whether the owner may be gone, which is not known here: it has let go of the child, or the garbage collector has taken it, and would take the
 * next one as well, without end.
 */
function isDoubtful(
  memory: ApplyMemory,
  owner: Owner,
  kind: Kind,
  child: KubeObject,
  existing: KubeObject | undefined,
): boolean {
  if (!existing) return memory.hasMade(owner, kind, child);
  return !existing.metadata.ownerReferences?.some(({ controller }) => controller);
}

/** Of what is said of the object; not of its version, to which the apply may be bound. */
function hashOf({ metadata, ...rest }: KubeObject): string {
  const said = { ...rest, metadata: { ...metadata, resourceVersion: undefined } };
  return createHash('sha256').update(stringifyJson(said)).digest('base64');
}

/**
 * Whether an apply changed the object.
 * @param repeated what was applied before, too: then another version is somebody else's where all that it says is as it was
 */
function isChange(before: KubeObject, after: KubeObject, repeated: KubeObject | undefined): boolean {
  if (before.metadata.resourceVersion === after.metadata.resourceVersion) return false;
  return repeated === undefined || !sameWhere(before, after, repeated);
}

/** Whether two values are the same in the fields that `said` has; lists as wholes. */
function sameWhere(one: unknown, other: unknown, said: unknown): boolean {
  if (!isFields(said) || !isFields(one) || !isFields(other)) return deepEqual(one, other);
  return Object.keys(said).every((name) => name === 'resourceVersion' || sameWhere(one[name], other[name], said[name]));
}

function remember(memory: ApplyMemory, after: KubeObject, rest: Pick<Applied, 'hash' | 'fights' | 'at'>): void {
  const { uid, resourceVersion, generation } = after.metadata;
  if (uid) memory.set(uid, { ...rest, resourceVersion, generation });
}

/** What is sent: ours to say, and nothing that is the server's. */
function applyBody(kind: Kind, desired: KubeObject, owner: Owner | undefined): KubeObject {
  const {
    managedFields: _managed,
    creationTimestamp: _created,
    generation: _generation,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _self,
    ...metadata
  } = desired.metadata;
  const others = metadata.ownerReferences ?? [];
  const ownerReferences = owner ? [...others, controllerReference(owner.kind, owner.object)] : others;
  return {
    ...desired,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { ...metadata, ...(ownerReferences.length > 0 ? { ownerReferences } : {}) },
  };
}

/** Whether an object still says what was applied. An unchanged version, or an unchanged spec and metadata, needs no comparing. */
function stillThere(actual: KubeObject, body: KubeObject, before: Applied): boolean {
  if (actual.metadata.resourceVersion === before.resourceVersion) return true;
  if (!contains(actual.metadata, { ...body.metadata, resourceVersion: undefined })) return false;
  const { generation } = actual.metadata;
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...wanted } = body;
  // A generation counts the changes of the spec, and of nothing else for sure.
  const onlySpec = Object.keys(wanted).every((field) => field === 'spec');
  if (onlySpec && generation !== undefined && generation === before.generation) return true;
  return contains(actual, wanted);
}

/** Milliseconds to leave a fought-over child alone. */
function pauseAfter(fights: number): number {
  return fights < loopAfter ? 0 : Math.min(longestPause, 1_000 * 2 ** (fights - loopAfter));
}

function loopMessage(kind: Kind, desired: KubeObject, fights: number): string {
  const { namespace, name } = desired.metadata;
  return (
    `${kind.kind} ${namespace ? `${namespace}/` : ''}${name} was changed back ${fights} times after it was applied; ` +
    'find the other writer in its managedFields, or leave the field to it'
  );
}
