import type { Kind, KubeObject } from '@coxswain/k8s';
import { type ApplyMemory, applyObject } from '../apply/index.ts';
import type { Cache } from '../cache/types.ts';
import type { Client } from '../client/index.ts';
import { controllerOf, type ReconcileContext } from '../controller/index.ts';
import {
  asSeen,
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
}

/** The context of one step: the object as it is now, the draft of the pass. */
export function actorContext<T extends KubeObject>(
  parts: ContextParts<T>,
  pass: Pick<ReconcileContext, 'cache' | 'clock' | 'log' | 'signal'> & {
    readonly client: Client;
    /** Gets the milliseconds after which it must be looked at again at the latest. */
    readonly looks: number[];
  },
  object: T,
  draft: StatusDraft<T>,
): ActorContext<T> {
  const { kind, recorder, memory, fieldManager } = parts;
  const { cache, client, clock, log, looks, signal } = pass;
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
        onPause: (left) => looks.push(left),
      });
    },
    owned: (of) => [...cache.store(of).by('controller', object.metadata.uid ?? '')],
    expect: (name, met, options) => {
      const { timeout = 30_000 } = checkedExpectOptions(`expect('${name}')`, met, options);
      const { uid = '' } = object.metadata;
      parts.expectations.set(keyString(keyOf(object)), uid, name, { met, deadline: clock.monotonic() + timeout });
    },
    ensureGone: (of, key) => ensureGone(client, cache, object, of, key),
  };
}

function checkedExpectOptions(what: string, met: () => boolean, options: ExpectOptions = {}): ExpectOptions {
  checkOptions(what, options, optionsOfExpect);
  checkFunction(what, 'met', met, true);
  checkNumber(what, 'timeout', options.timeout, milliseconds);
  return options;
}

async function ensureGone(
  client: Client,
  cache: Cache,
  owner: KubeObject,
  kind: Kind,
  key: ObjectKey,
): Promise<boolean> {
  const resource = client.of(kind);
  // What a store does not show may be somebody else's of this name, and so is what another object controls.
  const object = cache.has(kind) ? cache.store(kind).get(key) : await resource.find(key);
  if (!object || isAnothers(owner, object)) return true;
  if (object.metadata.deletionTimestamp) return false;
  try {
    // Just as it was seen: another may have taken it since.
    const gone = await resource.delete(key, { propagation: 'Background', preconditions: asSeen(object) });
    return gone === undefined;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** Whether another object controls it. An object may delete itself, whosever it is. */
function isAnothers({ metadata }: KubeObject, object: KubeObject): boolean {
  return ![undefined, metadata.uid].includes(controllerOf(object)?.uid) && object.metadata.uid !== metadata.uid;
}
