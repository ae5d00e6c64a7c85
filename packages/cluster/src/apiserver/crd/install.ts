import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { type Clock, formatTime, type Random } from '@coxswain/runtime/core';
import type { Storage, StorageSubscription } from '../../storage/types.ts';
import type { CallWebhook } from '../admission/webhook/index.ts';
import { copyJson, ensureObject, objectAt, sameJson } from '../builtin/shared/draft.ts';
import type { Registry } from '../types.ts';
import { crdKey, crdResource, deleteInstances, hasCleanupFinalizer, releaseDefinition } from './cleanup.ts';
import { conditionHolds, setCondition } from './conditions.ts';
import { webhookConverter } from './conversion/index.ts';
import { type Crd, readCrd } from './crd-object.ts';
import { acceptedNames, judgeNames } from './names.ts';
import { resourcesOf } from './to-resources.ts';

/** What serving custom resources needs. */
export interface CrdHost {
  readonly registry: Registry;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  /** Asks conversion webhooks. */
  readonly call: CallWebhook;
}

interface Served {
  /** The spec that is served; the same spec is not registered twice. */
  readonly spec: unknown;
  readonly deleting: boolean;
  readonly group: string;
  readonly plural: string;
  readonly versions: readonly string[];
}

/** Serves the stored CustomResourceDefinitions, and follows their changes within the commit that makes them. */
class CrdInstaller {
  readonly #host: CrdHost;
  readonly #served = new Map<string, Served>();
  readonly #cleanups = new Map<string, StorageSubscription>();
  readonly #subscription: StorageSubscription;

  constructor(host: CrdHost) {
    this.#host = host;
    const { objects, revision } = host.storage.list(crdResource);
    for (const object of objects) this.#sync(object as DynamicObject);
    this.#subscription = host.storage.subscribe(crdResource, revision, ({ type, object }) => {
      if (type === 'deleted') this.#forget(object as DynamicObject);
      else this.#sync(object as DynamicObject);
    });
  }

  cancel(): void {
    this.#subscription.cancel();
    for (const cleanup of this.#cleanups.values()) cleanup.cancel();
    this.#cleanups.clear();
  }

  #sync(object: DynamicObject): void {
    const { storage } = this.#host;
    // An older state: a later event of the same definition follows.
    if (storage.get(crdKey(object.metadata.name))?.metadata.resourceVersion !== object.metadata.resourceVersion) return;
    const crd = readCrd(object);
    const verdict = judgeNames(this.#host.registry, crd);
    if (verdict.accepted || conditionHolds(object, 'Established')) this.#serve(crd, object);
    if (crd.deleting) this.#cleanUp(crd, object);
    else this.#writeStatus(crd, object);
  }

  #serve(crd: Crd, object: DynamicObject): void {
    const before = this.#served.get(crd.name);
    if (before && before.deleting === crd.deleting && sameJson(before.spec, object.spec)) return;
    const { registry } = this.#host;
    const resources = resourcesOf(crd, webhookConverter(objectAt(object, 'spec'), this.#host));
    const versions = resources.map(({ version }) => version);
    // Watches of what the definition said before end: what they show would no longer be what is served.
    if (before && !sameJson(before.spec, object.spec)) {
      for (const version of before.versions) registry.remove(before.group, version, before.plural);
    }
    for (const resource of resources) registry.set(resource);
    const { group, names, deleting } = crd;
    this.#served.set(crd.name, { spec: object.spec, deleting, group, plural: names.plural, versions });
  }

  #writeStatus(crd: Crd, object: DynamicObject): void {
    const now = formatTime(this.#host.clock.now());
    const { accepted, reason, message } = judgeNames(this.#host.registry, crd);
    const draft = copyJson(object) as unknown as MutableJson;
    setCondition(draft, { type: 'NamesAccepted', status: accepted ? 'True' : 'False', reason, message }, now);
    if (accepted) ensureObject(draft, 'status').acceptedNames = acceptedNames(crd.names);
    const established = accepted || conditionHolds(object, 'Established');
    setCondition(
      draft,
      established
        ? {
            type: 'Established',
            status: 'True',
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          }
        : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
      now,
    );
    this.#put(draft, object);
  }

  /** Answers whether it wrote: then the event of that write goes on. */
  #put(draft: MutableJson, object: DynamicObject): boolean {
    if (sameJson(draft.status, objectAt(object, 'status'))) return false;
    this.#host.storage.put(crdKey(object.metadata.name), draft as unknown as KubeObject);
    return true;
  }

  #cleanUp(crd: Crd, object: DynamicObject): void {
    if (!hasCleanupFinalizer(object)) return;
    const draft = copyJson(object) as unknown as MutableJson;
    const now = formatTime(this.#host.clock.now());
    setCondition(
      draft,
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      },
      now,
    );
    if (!this.#put(draft, object)) this.#deleteObjects(crd);
  }

  #deleteObjects(crd: Crd): void {
    const { storage, clock } = this.#host;
    const resource = `${crd.group}/${crd.names.plural}`;
    const left = deleteInstances(storage, clock, resource);
    if (left === 0) {
      this.#endCleanup(crd.name);
      const current = storage.get(crdKey(crd.name)) as DynamicObject | undefined;
      if (current && hasCleanupFinalizer(current)) releaseDefinition(storage, current);
    } else if (!this.#cleanups.has(crd.name)) {
      const subscription = storage.subscribe(resource, storage.revision, ({ type }) => {
        if (type === 'deleted' && storage.list(resource, { limit: 1 }).objects.length === 0) this.#deleteObjects(crd);
      });
      this.#cleanups.set(crd.name, subscription);
    }
  }

  #endCleanup(name: string): void {
    this.#cleanups.get(name)?.cancel();
    this.#cleanups.delete(name);
  }

  #forget(object: DynamicObject): void {
    const served = this.#served.get(object.metadata.name);
    this.#endCleanup(object.metadata.name);
    this.#served.delete(object.metadata.name);
    if (!served) return;
    for (const version of served.versions) this.#host.registry.remove(served.group, version, served.plural);
    // The group's other definitions may have waited for these names.
    for (const other of this.#host.storage.list(crdResource).objects) this.#sync(other as DynamicObject);
  }
}

/**
 * Serves custom resources: every stored definition before this returns, then each change at once. A definition is
 * Established in the commit after the one that stores it. Cancel the answer at the end.
 */
export function installCrds(host: CrdHost): StorageSubscription {
  const installer = new CrdInstaller(host);
  return { cancel: () => installer.cancel() };
}
