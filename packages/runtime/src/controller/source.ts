import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Cache, Informer, InformerScope, StoreEvent } from '../cache/types.ts';
import { keyOf, keyString, type ObjectKey } from '../core/index.ts';
import type { Lane } from '../queue/index.ts';
import { CatchUp } from './catch-up.ts';
import { checkSource } from './check-source.ts';
import type { OwnStores } from './own-stores.ts';
import { ownerKey } from './owner.ts';
import type { MapToKeys, Predicate } from './types.ts';

/** Puts a key in the controller's queue, because of an event of an object of `kind`. */
export type Enqueue = (key: ObjectKey, lane: Lane, kind: Kind, event: StoreEvent<KubeObject>) => void;

/** A source at work. */
export interface Attached {
  readonly informer: Informer<KubeObject>;
  /** Feeds the queue from now on, first with what there is. @param stores where the controller reads */
  feed(enqueue: Enqueue, stores: OwnStores): void;
  /** Feeds the queue no more. The informer stays for those who still read its store, until it is released. */
  detach(): void;
}

/** One kind that a controller watches. */
export interface Source {
  readonly kind: Kind;
  /** What the kind is to the controller. */
  readonly use: 'for' | 'owns' | 'watches';
  /** The namespaces that its scope names; absent: all. */
  readonly namespaces?: readonly string[];
  /** Starts (or joins) the informer. */
  attach(cache: Cache): Attached;
}

interface SourceSpec<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly scope?: InformerScope | undefined;
  readonly where?: Predicate<T> | undefined;
  readonly use: Source['use'];
  readonly lane: Lane;
  readonly keys: (object: T, cache: Cache) => Iterable<ObjectKey>;
}

const choices = ['scope', 'where'];

function source<T extends KubeObject>(spec: SourceSpec<T>): Source {
  const { namespace, namespaces = namespace === undefined ? undefined : [namespace] } = spec.scope ?? {};
  return {
    kind: spec.kind,
    use: spec.use,
    ...(namespaces ? { namespaces } : {}),
    attach(cache) {
      const informer = cache.informer(spec.kind, spec.scope);
      const unsubscribers: (() => void)[] = [];
      return {
        informer: informer as unknown as Informer<KubeObject>,
        feed(enqueue, stores) {
          const shown = stores.shown(spec.kind);
          const behind = shown && shown.store !== informer.store ? new CatchUp(shown) : undefined;
          if (behind) unsubscribers.push(behind.stop);
          const heed = (event: StoreEvent<T>) => {
            const lane = event.type === 'added' && event.initial ? 'resync' : spec.lane;
            const keys = keysOf(spec, event, stores);
            for (const key of keys.values()) enqueue(key, lane, spec.kind, event);
            if (behind && keys.size > 0) behind.note(event, keys, (key) => enqueue(key, lane, spec.kind, event));
          };
          unsubscribers.push(informer.onEvent((event) => (spec.where?.(event) ?? true) && heed(event)));
        },
        detach() {
          for (const unsubscribe of unsubscribers.splice(0)) unsubscribe();
        },
      };
    },
  };
}

/** Those of the object as it is and, since it may have pointed elsewhere before, as it was: those it left must hear of it too. */
function keysOf<T extends KubeObject>(
  { keys }: SourceSpec<T>,
  event: StoreEvent<T>,
  cache: Cache,
): ReadonlyMap<string, ObjectKey> {
  const found = new Map<string, ObjectKey>();
  for (const key of keys(event.object, cache)) found.set(keyString(key), key);
  if (event.type === 'updated') for (const key of keys(event.previous, cache)) found.set(keyString(key), key);
  return found;
}

/** The controller's own kind. */
export function ownSource<T extends KubeObject>(
  kind: Kind<T>,
  options: { readonly scope?: InformerScope | undefined; readonly where?: Predicate<T> | undefined },
): Source {
  checkSource('for', kind, options, choices);
  return source({ kind, ...options, use: 'for', lane: 'user', keys: (object) => [keyOf(object)] });
}

/** Children whose controlling owner is of kind `owner`. */
export function childSource<C extends KubeObject>(
  owner: Kind,
  kind: Kind<C>,
  options: { readonly scope?: InformerScope; readonly where?: Predicate<C> } = {},
): Source {
  checkSource('owns', kind, options, choices);
  return source({
    kind,
    ...options,
    use: 'owns',
    lane: 'child',
    keys: (object) => {
      const key = ownerKey(object, owner);
      return key ? [key] : [];
    },
  });
}

/** Any other kind, mapped to keys by `map`. */
export function mappedSource<C extends KubeObject>(
  kind: Kind<C>,
  options: { readonly map: MapToKeys<C>; readonly scope?: InformerScope; readonly where?: Predicate<C> },
): Source {
  checkSource('watches', kind, options, [...choices, 'map']);
  const { map, ...rest } = options;
  return source({ kind, ...rest, use: 'watches', lane: 'child', keys: (object, cache) => map(object, { cache }) });
}
