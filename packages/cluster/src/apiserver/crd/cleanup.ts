import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { type Clock, formatTime } from '@coxswain/runtime/core';
import type { Storage, StorageKey } from '../../storage/types.ts';
import { copyJson, ensureObject, listAt, objectAt, type ReadJson } from '../builtin/shared/draft.ts';
import { type CrdCondition, setCondition } from './conditions.ts';

export const crdResource = 'apiextensions.k8s.io/customresourcedefinitions';
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export function crdKey(name: string): StorageKey {
  return { resource: crdResource, namespace: '', name };
}

function finalizersOf(object: ReadJson): readonly unknown[] {
  return listAt(objectAt(object, 'metadata'), 'finalizers');
}

export function hasCleanupFinalizer(object: ReadJson): boolean {
  return finalizersOf(object).includes(cleanupFinalizer);
}

/** The first DELETE of a definition marks it, and holds it until its objects are gone. `now` as the wire writes it. */
export function beginCleanup(draft: MutableJson, now: string): void {
  const metadata = ensureObject(draft, 'metadata');
  metadata.deletionTimestamp = now;
  if (!hasCleanupFinalizer(draft)) metadata.finalizers = [...finalizersOf(draft), cleanupFinalizer];
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  setCondition(draft, { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message }, now);
}

/** Deletes the custom objects of a resource; those with finalizers are marked and stay. Answers how many are left. */
export function deleteInstances(storage: Storage, clock: Clock, resource: string): number {
  for (const object of storage.list(resource).objects) {
    const { namespace = '', name, finalizers = [], deletionTimestamp } = object.metadata;
    const key = { resource, namespace, name };
    if (finalizers.length === 0) storage.delete(key);
    else if (deletionTimestamp === undefined) storage.put(key, markedForDeletion(object, clock));
  }
  return storage.list(resource).objects.length;
}

function markedForDeletion(object: KubeObject, clock: Clock): KubeObject {
  const draft = copyJson(object) as unknown as MutableJson;
  const metadata = ensureObject(draft, 'metadata');
  metadata.deletionTimestamp = formatTime(clock.now());
  metadata.deletionGracePeriodSeconds = 0;
  if (typeof metadata.generation === 'number') metadata.generation++;
  return draft as unknown as KubeObject;
}

/** Takes the finalizer away, and with the last one the definition. */
export function releaseDefinition(storage: Storage, object: DynamicObject, condition: CrdCondition, now: string): void {
  const rest = finalizersOf(object).filter((name) => name !== cleanupFinalizer);
  const key = crdKey(object.metadata.name);
  if (rest.length === 0) {
    storage.delete(key);
    return;
  }
  const draft = copyJson(object) as unknown as MutableJson;
  ensureObject(draft, 'metadata').finalizers = rest;
  setCondition(draft, condition, now);
  storage.put(key, draft as unknown as KubeObject);
}
