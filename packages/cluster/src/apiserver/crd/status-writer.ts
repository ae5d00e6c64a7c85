import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { type Clock, cloneJson, formatTime } from '@coxswain/runtime/core';
import type { Storage } from '../../storage/types.ts';
import { sameJson } from '../builtin/shared/draft.ts';
import { trackUpdate } from '../fieldmanager/index.ts';
import type { Registry } from '../types.ts';
import { crdKey } from './cleanup.ts';
import { type CrdCondition, setCondition } from './conditions.ts';

const apiVersion = 'apiextensions.k8s.io/v1';

interface Host {
  readonly registry: Registry;
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Writes the status of definitions, as the server's own part in them. */
export class StatusWriter {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Sets conditions, and with `change` more of the status. Answers whether it wrote: then the event of that write goes on. */
  write(object: DynamicObject, conditions: readonly CrdCondition[], change?: (status: MutableJson) => void): boolean {
    const { registry, storage, clock } = this.#host;
    const time = formatTime(clock.now());
    const { managedFields: _, ...metadata } = object.metadata;
    // What does not change is shared with the stored object: nobody has to look for differences in it.
    const draft: MutableJson = { ...object, metadata: { ...metadata }, status: cloneJson(object.status ?? {}) };
    for (const condition of conditions) setCondition(draft, condition, time);
    change?.(draft.status as MutableJson);
    if (sameJson(draft.status, object.status)) return false;
    const schema = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')?.schema;
    const who = { manager: 'kube-apiserver', apiVersion, subresource: 'status', time };
    if (schema) trackUpdate(schema, { live: object, next: draft, ...who, reset: ['spec', 'metadata'] });
    storage.put(crdKey(object.metadata.name), draft as unknown as KubeObject);
    return true;
  }
}
