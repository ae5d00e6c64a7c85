import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import { type Client, type JsonPatchOperation, json } from '../client/index.ts';
import { conflict, isConflict, isInvalid, isNotFound, keyOf } from '../core/index.ts';

/** Who writes and how long; as in the client's write options. */
export interface FinalizerOptions {
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

/** Tries before a finalizer that others keep changing around is given up as a conflict. */
const tries = 5;

/** Whether `metadata.finalizers` names it. */
export function hasFinalizer(object: KubeObject, name: string): boolean {
  return object.metadata.finalizers?.includes(name) ?? false;
}

/**
 * Adds a finalizer, once whoever else does, and touches no other. Answers the object as it is then; `undefined` when it is gone, replaced by
 * another of the same name, or being deleted (nothing may be added any more).
 * @throws ApiError Conflict when others kept changing the object
 */
export function addFinalizer<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: T,
  name: string,
  options: FinalizerOptions = {},
): Promise<T | undefined> {
  return attempt(client, kind, object, options, (current) => {
    const { deletionTimestamp, finalizers, resourceVersion } = current.metadata;
    if (deletionTimestamp || hasFinalizer(current, name)) return undefined;
    // The list as it was seen: somebody else may add the same one now, and the server keeps both. Without a list there is nothing to test
    // on, and "add" would replace one made meanwhile: the version stands in for it.
    return finalizers?.length
      ? [
          { op: 'test', path: '/metadata/finalizers', value: finalizers },
          { op: 'add', path: '/metadata/finalizers/-', value: name },
        ]
      : [
          { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
          { op: 'add', path: '/metadata/finalizers', value: [name] },
        ];
  });
}

/**
 * Removes a finalizer at exactly the places where it was seen, and touches no other. Answers the object as it is then;
 * `undefined` when it is gone.
 * @throws ApiError Conflict when others kept changing the list
 */
export function removeFinalizer<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: T,
  name: string,
  options: FinalizerOptions = {},
): Promise<T | undefined> {
  return attempt(client, kind, object, options, (current) => {
    if (!hasFinalizer(current, name)) return undefined;
    // From the end: what is removed moves what comes after it.
    const places = (current.metadata.finalizers ?? []).flatMap((one, i) => (one === name ? [i] : [])).reverse();
    return places.flatMap((at): readonly JsonPatchOperation[] => {
      const path = `/metadata/finalizers/${at}`;
      return [
        { op: 'test', path, value: name },
        { op: 'remove', path },
      ];
    });
  });
}

/** Sends what `plan` says for the object as known; when that was out of date, for the object as it is. */
async function attempt<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: T,
  options: FinalizerOptions,
  plan: (current: T) => readonly JsonPatchOperation[] | undefined,
): Promise<T | undefined> {
  const resource = client.of(kind);
  const { uid } = object.metadata;
  let current: T | undefined = object;
  for (let i = 0; i < tries; i++) {
    const operations = plan(current);
    if (!operations) return current;
    const sameObject: JsonPatchOperation = { op: 'test', path: '/metadata/uid', value: uid };
    try {
      return await resource.patch(keyOf(object), json([sameObject, ...operations]), options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) && !isInvalid(error)) throw error;
      const live: T | undefined = await resource.find(keyOf(object), options);
      if (!live || live.metadata.uid !== uid) return undefined;
      // The version we knew was the newest: it is not staleness that the server objects to.
      if (isInvalid(error) && live.metadata.resourceVersion === current.metadata.resourceVersion) throw error;
      current = live;
    }
  }
  throw conflict(kind, object.metadata.name, `the finalizers of this ${resourceName(kind)} keep changing; try again`);
}
