import type { KubeObject } from '@coxswain/k8s';
import type { StoreEvent } from '../cache/types.ts';
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

export const labelsChanged: Predicate<KubeObject> = onUpdate(
  (object, previous) => !sameTexts(object.metadata.labels, previous.metadata.labels),
);

export const annotationsChanged: Predicate<KubeObject> = onUpdate(
  (object, previous) => !sameTexts(object.metadata.annotations, previous.metadata.annotations),
);

/** All of them pass. */
export function and<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** At least one passes. */
export function or<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** It does not pass. */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}
