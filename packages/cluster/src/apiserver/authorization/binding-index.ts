import type { KubeObject } from '@coxswain/k8s';
import type { Storage, StorageEvent, StorageSubscription } from '../../storage/types.ts';
import type { UserInfo } from '../types.ts';
import type { RoleRef } from './types.ts';

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface Binding extends KubeObject {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: RoleRef;
}

export const clusterRoleBindings = 'rbac.authorization.k8s.io/clusterrolebindings';
export const roleBindings = 'rbac.authorization.k8s.io/rolebindings';

type Bindings = Map<string, Map<string, Binding>>;

/** Bindings of one scope: by the name of a user (service accounts are users), and by group. */
class Scope {
  readonly #users: Bindings = new Map();
  readonly #groups: Bindings = new Map();

  add(binding: Binding): void {
    for (const [map, name] of this.#entries(binding)) {
      const found = map.get(name);
      if (found) found.set(binding.metadata.name, binding);
      else map.set(name, new Map([[binding.metadata.name, binding]]));
    }
  }

  remove(binding: Binding): void {
    for (const [map, name] of this.#entries(binding)) {
      const found = map.get(name);
      if (found?.delete(binding.metadata.name) && found.size === 0) map.delete(name);
    }
  }

  get empty(): boolean {
    return this.#users.size === 0 && this.#groups.size === 0;
  }

  /** Calls `visit` with each binding of the user until it answers true; some may come twice. */
  find(user: UserInfo, visit: (binding: Binding) => boolean): boolean {
    if (some(this.#users.get(user.name), visit)) return true;
    for (const group of user.groups) if (some(this.#groups.get(group), visit)) return true;
    return false;
  }

  *#entries({ subjects, metadata }: Binding): Iterable<readonly [Bindings, string]> {
    for (const { kind, name, namespace = metadata.namespace ?? '' } of subjects ?? []) {
      if (kind === 'User') yield [this.#users, name];
      else if (kind === 'Group') yield [this.#groups, name];
      else if (kind === 'ServiceAccount' && namespace !== '') {
        yield [this.#users, `system:serviceaccount:${namespace}:${name}`];
      }
    }
  }
}

function some(bindings: ReadonlyMap<string, Binding> | undefined, visit: (binding: Binding) => boolean): boolean {
  if (bindings) for (const binding of bindings.values()) if (visit(binding)) return true;
  return false;
}

/** From subjects to the bindings that name them, kept up to date with the store. */
export class BindingIndex implements StorageSubscription {
  readonly #cluster = new Scope();
  readonly #namespaces = new Map<string, Scope>();
  readonly #subscriptions: readonly StorageSubscription[];

  constructor(storage: Storage) {
    const start = storage.revision;
    this.#subscriptions = [clusterRoleBindings, roleBindings].map((resource) => {
      for (const object of storage.list(resource).objects) this.#add(object as Binding);
      return storage.subscribe(resource, start, (event) => this.#take(event));
    });
  }

  /** Visits the bindings of a user: those of the cluster, then those of the namespace, until `visit` answers true. */
  find(user: UserInfo, namespace: string, visit: (binding: Binding) => boolean): boolean {
    if (this.#cluster.find(user, visit)) return true;
    return namespace !== '' && this.#namespaces.get(namespace)?.find(user, visit) === true;
  }

  cancel(): void {
    for (const subscription of this.#subscriptions) subscription.cancel();
  }

  #take({ type, object, previous }: StorageEvent): void {
    const stale = type === 'deleted' ? object : previous;
    if (stale) this.#remove(stale as Binding);
    if (type !== 'deleted') this.#add(object as Binding);
  }

  #add(binding: Binding): void {
    const { namespace = '' } = binding.metadata;
    let scope = namespace === '' ? this.#cluster : this.#namespaces.get(namespace);
    if (!scope) {
      scope = new Scope();
      this.#namespaces.set(namespace, scope);
    }
    scope.add(binding);
  }

  #remove(binding: Binding): void {
    const { namespace = '' } = binding.metadata;
    const scope = namespace === '' ? this.#cluster : this.#namespaces.get(namespace);
    scope?.remove(binding);
    if (namespace !== '' && scope?.empty) this.#namespaces.delete(namespace);
  }
}
