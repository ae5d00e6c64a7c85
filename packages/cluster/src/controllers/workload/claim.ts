import type { Kind, KubeObject, LabelSelector, OwnerReference } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import type { Cache, Store } from '@coxswain/runtime/cache';
import { type Client, merge } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext } from '@coxswain/runtime/controller';
import { isInvalid, keyOf, matchesLabels, type ObjectKey, selectorFromField } from '@coxswain/runtime/core';
import { isRace } from './tolerant.ts';

/** A workload object with its kind. */
export interface Workload {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly selector: LabelSelector;
}

/** Index of objects that nobody controls, by namespace: the ones a workload may adopt. */
export const orphans = 'orphans';

/** Values of the index {@link orphans}. */
export function orphanNamespace(object: KubeObject): readonly string[] {
  return controllerOf(object) ? [] : [object.metadata.namespace ?? ''];
}

/** The kinds that workloads claim have to be indexed first. */
export function indexOrphans(cache: Cache, kind: Kind): void {
  cache.informer(kind).addIndex(orphans, orphanNamespace);
}

interface Selecting {
  readonly spec?: { readonly selector?: LabelSelector };
}

/**
 * Workloads beside an object that may adopt it, when nobody controls it. A selector that is absent selects nothing.
 * @param selectorOf default: `spec.selector` in today's form
 */
export function* adopters<T extends KubeObject>(
  object: KubeObject,
  workloads: Store<T>,
  selectorOf: (workload: T) => LabelSelector | undefined = ({ spec }: T & Selecting) => spec?.selector,
): Iterable<ObjectKey> {
  if (controllerOf(object)) return;
  for (const workload of workloads.list({ namespace: object.metadata.namespace ?? '' })) {
    const selector = selectorOf(workload);
    if (selector && matchesLabels(selectorFromField(selector), object.metadata.labels)) yield keyOf(workload);
  }
}

async function setOwners<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: T,
  ownerReferences: readonly OwnerReference[],
): Promise<T | undefined> {
  const { uid, resourceVersion } = object.metadata;
  try {
    return await client.of(kind).patch(keyOf(object), merge({ metadata: { uid, resourceVersion, ownerReferences } }));
  } catch (error) {
    if (isRace(error) || isInvalid(error)) return undefined;
    throw error;
  }
}

/** Whether the workload may take children now: asked of the server, since a cached object may long be gone. */
async function mayAdopt({ client }: ReconcileContext, { kind, object }: Workload): Promise<boolean> {
  const fresh = await client.of(kind).find(keyOf(object));
  return fresh?.metadata.uid === object.metadata.uid && !fresh?.metadata.deletionTimestamp;
}

/** What a workload asks of objects besides its selector. */
export interface ClaimRules<T extends KubeObject> {
  /** Whether an object that nobody controls may be taken; default: any. */
  readonly adoptable?: (object: T) => boolean;
  /** Whether an object can be the workload's at all, such as by its name; default: any. */
  readonly member?: (object: T) => boolean;
}

/**
 * The objects of a kind that a workload controls and selects. Those it selects that nobody controls are adopted;
 * those it controls but no longer selects are let go.
 */
export async function claim<T extends KubeObject>(
  context: ReconcileContext,
  workload: Workload,
  kind: Kind<T>,
  { adoptable = () => true, member = () => true }: ClaimRules<T> = {},
): Promise<T[]> {
  const { cache, client } = context;
  const { uid = '', namespace = '', deletionTimestamp } = workload.object.metadata;
  const selector = selectorFromField(workload.selector);
  const store = cache.store(kind);
  const claimed: T[] = [];
  for (const object of store.by('controller', uid)) {
    if (matchesLabels(selector, object.metadata.labels) && member(object)) claimed.push(object);
    else if (!object.metadata.deletionTimestamp && !deletionTimestamp)
      await setOwners(
        client,
        kind,
        object,
        (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid),
      );
  }
  if (deletionTimestamp) return claimed;
  const found = [...store.by(orphans, namespace)].filter(
    (object) =>
      !object.metadata.deletionTimestamp &&
      matchesLabels(selector, object.metadata.labels) &&
      member(object) &&
      adoptable(object),
  );
  if (found.length === 0 || !(await mayAdopt(context, workload))) return claimed;
  for (const object of found) {
    const owners = [...(object.metadata.ownerReferences ?? []), controllerReference(workload.kind, workload.object)];
    const adopted = await setOwners(client, kind, object, owners);
    if (adopted) claimed.push(adopted);
  }
  return claimed;
}
