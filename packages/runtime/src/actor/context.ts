import type { Kind, KubeObject } from '@coxswain/k8s';
import { type ApplyMemory, applyObject } from '../apply/index.ts';
import type { Cache, Store } from '../cache/types.ts';
import type { Client } from '../client/index.ts';
import { controllerOf, ownerIndex, type ReconcileContext } from '../controller/index.ts';
import {
  checkFunction,
  checkNumber,
  checkOptions,
  isNotFound,
  keyOf,
  keyString,
  milliseconds,
  type ObjectKey,
  optionNames,
} from '../core/index.ts';
import type { EventRecorder } from '../events/index.ts';
import type { StatusDraft } from './draft.ts';
import type { Expectations } from './expectations.ts';
import type { ActorContext, EventDetails, ExpectOptions } from './types.ts';

const optionsOfApply = optionNames<{ readonly owned?: boolean; readonly force?: boolean }>({
  owned: true,
  force: true,
});
const optionsOfExpect = optionNames<ExpectOptions>({ timeout: true });

/** What all contexts of one actor share. */
export interface ContextParts<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly fieldManager: string;
  readonly recorder: EventRecorder;
  readonly memory: ApplyMemory;
  readonly expectations: Expectations;
  /** Whether all children of a kind are indexed by their owner. */
  indexed(kind: Kind): boolean;
}

/** The context of one step: the object as it is now, the draft of the pass. */
export function actorContext<T extends KubeObject>(
  parts: ContextParts<T>,
  pass: Pick<ReconcileContext, 'cache' | 'clock' | 'log' | 'signal'> & { readonly client: Client },
  object: T,
  draft: StatusDraft<T>,
): ActorContext<T> {
  const { kind, recorder, memory, fieldManager } = parts;
  const { cache, client, clock, log, signal } = pass;
  const event = (details: EventDetails) => recorder.event(kind, object, details);
  return {
    object,
    client,
    cache,
    clock,
    log,
    signal,
    event,
    status: draft.status,
    conditions: draft.conditions,
    store: (of) => cache.store(of),
    apply: async (of, desired, options) => {
      checkOptions(`apply(${of.kind})`, options, optionsOfApply);
      const { owned = true, force = true } = options ?? {};
      return applyObject(of, desired, {
        client,
        cache,
        clock,
        memory,
        fieldManager,
        force,
        signal,
        ...(owned ? { owner: { kind, object } } : {}),
        onLoop: (message) => event({ type: 'Warning', reason: 'ApplyLoop', message, action: 'Apply' }),
      });
    },
    owned: (of) => ownedBy(object, of, cache, parts.indexed(of)),
    expect: (name, met, options) => {
      const { timeout = 30_000 } = checkedExpectOptions(`expect('${name}')`, met, options);
      const { uid = '' } = object.metadata;
      parts.expectations.set(keyString(keyOf(object)), uid, name, { met, deadline: clock.monotonic() + timeout });
    },
    ensureGone: (of, key) => ensureGone(client, cache, of, key),
  };
}

function checkedExpectOptions(what: string, met: () => boolean, options: ExpectOptions = {}): ExpectOptions {
  checkOptions(what, options, optionsOfExpect);
  checkFunction(what, 'met', met, true);
  checkNumber(what, 'timeout', options.timeout, milliseconds);
  return options;
}

function ownedBy<C extends KubeObject>(owner: KubeObject, kind: Kind<C>, cache: Cache, indexed: boolean): readonly C[] {
  const { uid = '', namespace } = owner.metadata;
  const store: Store<C> = cache.store(kind);
  if (indexed) return [...store.by(ownerIndex, uid)];
  const all = store.list(namespace && kind.scope === 'Namespaced' ? { namespace } : {});
  return [...all].filter((object) => controllerOf(object)?.uid === uid);
}

async function ensureGone(client: Client, cache: Cache, kind: Kind, key: ObjectKey): Promise<boolean> {
  const resource = client.of(kind);
  const object = cache.has(kind) ? cache.store(kind).get(key) : await resource.find(key);
  if (!object) return true;
  if (object.metadata.deletionTimestamp) return false;
  const { uid } = object.metadata;
  try {
    const options = { propagation: 'Background', ...(uid ? { preconditions: { uid } } : {}) } as const;
    return (await resource.delete(key, options)) === undefined;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}
