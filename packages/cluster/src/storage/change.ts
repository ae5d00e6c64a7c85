import type { KubeObject } from '@coxswain/k8s';
import type { StorageEvent, StorageKey, StoredObject } from './types.ts';

/** An event that leaves the objects where they are kept. */
export class Change implements StorageEvent {
  readonly type: StorageEvent['type'];
  readonly state: StoredObject;
  readonly before: StoredObject | undefined;

  constructor(type: StorageEvent['type'], state: StoredObject, before: StoredObject | undefined) {
    this.type = type;
    this.state = state;
    this.before = before;
  }

  get key(): StorageKey {
    return this.state.key;
  }

  get revision(): number {
    return this.state.revision;
  }

  get object(): KubeObject {
    return this.state.object;
  }

  get previous(): KubeObject | undefined {
    return this.before?.object;
  }
}
