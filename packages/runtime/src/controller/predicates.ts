import type { KubeObject } from '@coxswain/k8s';
import type { StoreEvent } from '../cache/types.ts';
import { checkFunction, deepEqual } from '../core/index.ts';
import type { Predicate } from './types.ts';

type Texts = Readonly<Record<string, string>> | undefined;

/** Whether two label or annotation maps say the same; absent is the same as empty. */
function sameTexts(a: Texts = {}, b: Texts = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Lets additions and deletions pass, and updates for which `changed` holds. */
function onUpdate<T extends KubeObject>(changed: (object: T, previous: T) => boolean): Predicate<T> {
  return (event: StoreEvent<T>) => event.type !== 'updated' || changed(event.object, event.previous);
}

/**
 * The spec changed, or deletion was asked for. Kinds without a generation (ConfigMap, Secret, …) never pass an update:
 * do not use it for them.
 */
export const generationChanged: Predicate<KubeObject> = onUpdate(
  ({ metadata: now }, { metadata: before }) =>
    now.generation !== before.generation ||
    now.deletionTimestamp !== before.deletionTimestamp ||
    now.uid !== before.uid,
);

/** Passes updates that change labels, and all that comes or goes. */
export const labelsChanged: Predicate<KubeObject> = onUpdate(
  (object, previous) => !sameTexts(object.metadata.labels, previous.metadata.labels),
);

/** Passes updates that change annotations, and all that comes or goes. */
export const annotationsChanged: Predicate<KubeObject> = onUpdate(
  (object, previous) => !sameTexts(object.metadata.annotations, previous.metadata.annotations),
);

/**
 * What `select` gives differs between the old and the new object, compared deeply; `undefined` is the same as absent.
 * An object on which `select` throws counts as changed: better one look too many than a change that is lost.
 * @throws TypeError when `select` is no function, or an async one
 */
export function fieldChanged<T extends KubeObject>(select: (object: T) => unknown): Predicate<T> {
  checkFunction('fieldChanged', 'select', select ?? null, true);
  return onUpdate((object, previous) => {
    try {
      return !deepEqual(select(object), select(previous));
    } catch {
      return true;
    }
  });
}

/** The status changed. Stores that hold only metadata have none: there no update passes. */
export const statusChanged: Predicate<KubeObject> = fieldChanged(
  (object: KubeObject & { readonly status?: unknown }) => object.status,
);

/** Anything changed on the server: drops updates that only say again what was known. */
export const resourceVersionChanged: Predicate<KubeObject> = onUpdate(
  ({ metadata: now }, { metadata: before }) => now.resourceVersion !== before.resourceVersion,
);

/** @throws TypeError for one that is no function, as a predicate that was called instead of named is */
function checkAll(what: string, predicates: readonly unknown[]): void {
  predicates.forEach((predicate, i) => {
    checkFunction(what, `predicate ${i + 1}`, predicate ?? null, true);
  });
}

/** All of them pass. @throws TypeError for what is no predicate */
export function and<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  checkAll('and', predicates);
  return (event) => predicates.every((predicate) => predicate(event));
}

/** At least one passes. @throws TypeError for what is no predicate */
export function or<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  checkAll('or', predicates);
  return (event) => predicates.some((predicate) => predicate(event));
}

/** It does not pass. @throws TypeError for what is no predicate */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  checkAll('not', [predicate]);
  return (event) => !predicate(event);
}
