import { type Kind, type KubeObject, resourceName, sameResource } from '@coxswain/k8s';
import { findCondition, isReady } from '../apply/index.ts';
import { refusalOf } from '../cache/index.ts';
import type { Cache, Informer, StoreEvent } from '../cache/types.ts';
import type { Client } from '../client/index.ts';
import {
  checkFunction,
  checkOptions,
  isNotFound,
  keyOf,
  keyString,
  type ObjectKey,
  optionNames,
  parseKey,
} from '../core/index.ts';
import type { Dependency } from './types.ts';

interface Watched {
  readonly informer: Informer<KubeObject>;
  readonly unsubscribe: () => void;
  /** Who depends on which object: dependants by the dependency's key. */
  readonly dependants: Map<string, Set<string>>;
}

/** What a look at a dependency showed. */
interface Found {
  readonly object?: KubeObject | undefined;
  /** Why nothing can be seen of its kind. */
  readonly refused?: string | undefined;
}

/**
 * Wakes those who depend on an object when it changes. Kinds are only known once an object names them, so informers
 * are started on first need and shared with whoever else watches the kind.
 */
export class DependencyWatch {
  readonly #cache: Cache;
  readonly #wake: (key: ObjectKey) => void;
  readonly #watched = new Map<string, Watched>();
  readonly #byDependant = new Map<string, readonly Dependency[]>();

  /** @param wake called with the key of each object that depends on what changed */
  constructor(cache: Cache, wake: (key: ObjectKey) => void) {
    this.#cache = cache;
    this.#wake = wake;
  }

  /** Notes all that `dependant` depends on, in place of what it did before. */
  set(dependant: ObjectKey, dependencies: readonly Dependency[]): void {
    const name = keyString(dependant);
    const before = this.#byDependant.get(name) ?? [];
    if (dependencies.length > 0) this.#byDependant.set(name, dependencies);
    else this.#byDependant.delete(name);
    for (const { kind, key } of before) this.#unlink(kind, key, name);
    for (const { kind, key } of dependencies) this.#link(kind, key, name);
  }

  /** The first dependency that is not ready, told as a sentence; `undefined` when all are. */
  async missing(dependencies: readonly Dependency[], client: Client): Promise<string | undefined> {
    for (const dependency of dependencies) {
      const { object, refused } = await this.#find(dependency, client);
      const name = `${dependency.kind.kind} ${keyString(dependency.key)}`;
      if (refused) return `nobody knows of ${name}: ${refused}`;
      if (!object) return `${name} does not exist yet`;
      if (object.metadata.deletionTimestamp) return `${name} is being deleted`;
      if (!(dependency.ready ?? isReady)(object)) return `${name} is not ready${why(object)}`;
    }
    return undefined;
  }

  stop(): void {
    for (const { informer, unsubscribe } of this.#watched.values()) {
      unsubscribe();
      informer.release();
    }
    this.#watched.clear();
    this.#byDependant.clear();
  }

  /** From the store once that is complete and as long as it is kept up; else from the server, which says what is the matter. */
  async #find({ kind, key }: Dependency, client: Client): Promise<Found> {
    const informer = this.#watched.get(resourceName(kind))?.informer;
    if (informer?.hasSynced && informer.lag < longestSilence) return { object: informer.store.get(key) };
    try {
      return { object: await client.of(kind).get(key) };
    } catch (error) {
      const refused = refusalOf(kind, error, key.namespace);
      if (refused === undefined && !isNotFound(error)) throw error;
      return { refused };
    }
  }

  #link(kind: Kind, key: ObjectKey, dependant: string): void {
    const { dependants } = this.#watch(kind);
    const at = keyString(key);
    const set = dependants.get(at) ?? new Set();
    dependants.set(at, set.add(dependant));
  }

  #unlink(kind: Kind, key: ObjectKey, dependant: string): void {
    const dependants = this.#watched.get(resourceName(kind))?.dependants;
    const set = dependants?.get(keyString(key));
    set?.delete(dependant);
    if (set?.size === 0) dependants?.delete(keyString(key));
  }

  #watch(kind: Kind): Watched {
    const known = this.#watched.get(resourceName(kind));
    if (known) return known;
    const dependants = new Map<string, Set<string>>();
    const informer = this.#cache.informer(kind, {}, { optional: true });
    const unsubscribe = informer.onEvent((event) => {
      for (const dependant of dependants.get(keyString(keyOf(event.object))) ?? []) {
        if (this.#isNews(dependant, kind, event)) this.#wake(parseKey(dependant));
      }
    });
    const watched = { informer, unsubscribe, dependants };
    this.#watched.set(resourceName(kind), watched);
    return watched;
  }

  /**
   * Whether a change is to be looked at at once. What something says on its way to being ready is not: whoever waits for it would write each
   * word into its own status, and who waits for that again. It is told when they look the next time.
   */
  #isNews(dependant: string, kind: Kind, event: StoreEvent<KubeObject>): boolean {
    if (event.type !== 'updated') return true;
    const { object, previous } = event;
    if ((object.metadata.deletionTimestamp === undefined) !== (previous.metadata.deletionTimestamp === undefined))
      return true;
    const key = keyString(keyOf(object));
    const uses = this.#byDependant.get(dependant) ?? [];
    return uses
      .filter((one) => sameResource(one.kind, kind) && keyString(one.key) === key)
      .some(({ ready = isReady }) => ready(object) || ready(previous));
  }
}

/** Milliseconds after which a store that heard nothing is not believed; a healthy server tells something about every minute. */
const longestSilence = 180_000;

const optionsOfDependency = optionNames<Dependency>({ kind: true, key: true, ready: true });

/**
 * @throws TypeError for what is no list of dependencies
 * @throws Error for a dependency of a kind that the actor did not declare: rules made from what it declares would not let it be read
 */
export function checkDependencies(kind: Kind, dependencies: unknown, declared: readonly Kind[] | undefined): void {
  const whose = `\`dependencies\` of ${kind.kind}`;
  if (!Array.isArray(dependencies)) throw new TypeError(`${whose}: answer a list, at once; empty for none`);
  for (const one of dependencies) {
    checkOptions(whose, one ?? null, optionsOfDependency);
    if (!one.kind?.kind || !one.key?.name) throw new TypeError(`${whose}: each needs a kind, and a key with a name`);
    checkFunction(whose, 'ready', one.ready, true);
    if (!declared || declared.some((known) => sameResource(known, one.kind))) continue;
    const name = `${one.kind.kind} ${keyString(one.key)}`;
    throw new Error(`the actor of ${kind.kind} depends on ${name}; add ${one.kind.kind} to its dependsOn`);
  }
}

/** What the dependency itself says about it. */
function why(object: KubeObject): string {
  const ready = findCondition(object, 'Ready');
  if (!ready || ready.status === 'True') return '';
  return ready.message ? `: ${ready.reason}: ${ready.message}` : `: ${ready.reason}`;
}
