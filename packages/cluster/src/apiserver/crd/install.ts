import type { DynamicObject } from '@coxswain/k8s';
import { type Clock, formatTime, type Random } from '@coxswain/runtime/core';
import type { Storage, StorageSubscription } from '../../storage/types.ts';
import type { CallWebhook } from '../admission/webhook/index.ts';
import { objectAt, sameJson } from '../builtin/shared/draft.ts';
import type { Registry } from '../types.ts';
import { approvalCondition } from './approval.ts';
import { crdKey, crdResource, deleteInstances, hasCleanupFinalizer, releaseDefinition } from './cleanup.ts';
import { type CrdCondition, conditionHolds, findCondition, isSaid } from './conditions.ts';
import { webhookConverter } from './conversion/index.ts';
import { type Crd, readCrd, readNames } from './crd-object.ts';
import { establishedAfter, judgeNames, namesStatus, sameNames, takenNames } from './names.ts';
import { StatusWriter } from './status-writer.ts';
import { resourcesOf } from './to-resources.ts';
import { bundleErrors } from './validate-conversion.ts';

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
  readonly names: unknown;
  readonly deleting: boolean;
  readonly group: string;
  readonly plural: string;
  readonly versions: readonly string[];
}

const established: CrdCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

const unusableBundle: CrdCondition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};

const terminating = (status: CrdCondition['status'], reason: string, message: string): CrdCondition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});
const inProgress = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
const completed = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
const neverEstablished = terminating('False', 'NeverEstablished', 'resource was never established');

/**
 * Serves the stored CustomResourceDefinitions, and follows their changes within the commit that makes them. A new one goes through the
 * states that watchers of the real server see, each a commit: approval where one is needed, names, established. One that is deleted:
 * marked, in progress, gone.
 */
class CrdInstaller {
  readonly #host: CrdHost;
  readonly #status: StatusWriter;
  readonly #served = new Map<string, Served>();
  readonly #cleanups = new Map<string, StorageSubscription>();
  readonly #subscription: StorageSubscription;

  constructor(host: CrdHost) {
    this.#host = host;
    this.#status = new StatusWriter(host);
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
    if (!crd.deleting && (this.#approve(object) || this.#name(object) || this.#establish(object))) return;
    if (conditionHolds(object, 'Established')) this.#serve(crd, object);
    else this.#unserve(crd.name);
    if (crd.deleting) this.#cleanUp(crd, object);
  }

  #approve(object: DynamicObject): boolean {
    const condition = approvalCondition(object);
    return condition !== undefined && !isSaid(object, condition) && this.#status.write(object, [condition]);
  }

  #name(object: DynamicObject): boolean {
    const wanted = readNames(objectAt(objectAt(object, 'spec'), 'names'));
    const own = readNames(objectAt(objectAt(object, 'status'), 'acceptedNames'));
    if (sameNames(wanted, own)) return false;
    const group = String(objectAt(object, 'spec')?.group);
    const others = this.#host.storage.list(crdResource).objects as readonly DynamicObject[];
    const { accepted, condition } = judgeNames(wanted, own, takenNames(others, group));
    const conditions = [condition, establishedAfter(object, condition)];
    const wrote = this.#status.write(object, conditions, (status) => {
      status.acceptedNames = namesStatus(accepted);
    });
    if (wrote) this.#reconsider(object);
    return wrote;
  }

  /** Others of the group may have waited for names that this one has no more. */
  #reconsider({ metadata, spec }: DynamicObject): void {
    for (const other of this.#host.storage.list(crdResource).objects as readonly DynamicObject[]) {
      if (other.metadata.name === metadata.name || objectAt(other, 'spec')?.group !== objectAt({ spec }, 'spec')?.group)
        continue;
      if (findCondition(other, 'NamesAccepted')?.status === 'False') this.#sync(other);
    }
  }

  #establish(object: DynamicObject): boolean {
    if (!conditionHolds(object, 'NamesAccepted') || conditionHolds(object, 'Established')) return false;
    const usable = bundleErrors(objectAt(object, 'spec')).length === 0;
    return this.#status.write(object, [usable ? established : unusableBundle]);
  }

  #serve(crd: Crd, object: DynamicObject): void {
    const before = this.#served.get(crd.name);
    const same = before && sameJson(before.spec, object.spec) && sameJson(before.names, crd.names);
    if (same && before.deleting === crd.deleting) return;
    const { registry } = this.#host;
    const resources = resourcesOf(crd, webhookConverter(objectAt(object, 'spec'), this.#host));
    // Watches of what the definition said before end: what they show would no longer be what is served.
    if (!same) this.#unserve(crd.name);
    for (const resource of resources) registry.set(resource);
    const { group, names, deleting } = crd;
    const versions = resources.map(({ version }) => version);
    this.#served.set(crd.name, { spec: object.spec, names, deleting, group, plural: names.plural, versions });
  }

  #unserve(name: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.delete(name);
    for (const version of served.versions) this.#host.registry.remove(served.group, version, served.plural);
  }

  #cleanUp(crd: Crd, object: DynamicObject): void {
    if (!hasCleanupFinalizer(object)) return;
    if (isSaid(object, inProgress) || !this.#status.write(object, [inProgress])) this.#deleteObjects(crd, object);
  }

  #deleteObjects(crd: Crd, object: DynamicObject): void {
    if (!conditionHolds(object, 'Established')) {
      this.#release(crd.name, neverEstablished);
      return;
    }
    const { storage, clock } = this.#host;
    const resource = `${crd.group}/${crd.names.plural}`;
    const left = deleteInstances(storage, clock, resource);
    if (left === 0) this.#release(crd.name, completed);
    else if (!this.#cleanups.has(crd.name)) {
      const subscription = storage.subscribe(resource, storage.revision, ({ type }) => {
        if (type === 'deleted' && storage.list(resource, { limit: 1 }).objects.length === 0)
          this.#deleteObjects(crd, object);
      });
      this.#cleanups.set(crd.name, subscription);
    }
  }

  #release(name: string, condition: CrdCondition): void {
    this.#endCleanup(name);
    const { storage, clock } = this.#host;
    const current = storage.get(crdKey(name)) as DynamicObject | undefined;
    if (current && hasCleanupFinalizer(current)) {
      releaseDefinition(storage, current, condition, formatTime(clock.now()));
    }
  }

  #endCleanup(name: string): void {
    this.#cleanups.get(name)?.cancel();
    this.#cleanups.delete(name);
  }

  #forget(object: DynamicObject): void {
    this.#endCleanup(object.metadata.name);
    this.#unserve(object.metadata.name);
    this.#reconsider(object);
  }
}

/**
 * Serves custom resources: every stored definition before this returns, then each change at once. A definition is
 * Established within the commit that stores it. Cancel the answer at the end.
 */
export function installCrds(host: CrdHost): StorageSubscription {
  const installer = new CrdInstaller(host);
  return { cancel: () => installer.cancel() };
}
