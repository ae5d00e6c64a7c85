import type { KubeObject } from '@coxswain/k8s';
import { conditionsOf, mergeDiff } from '../apply/index.ts';
import { rebaseStatus } from '../apply/status.ts';
import { deepEqual, type Fields } from '../core/index.ts';

/** A status that has been worked out and not been written. */
interface Held {
  readonly uid: string | undefined;
  /** The status that it was worked out from. */
  readonly base: Fields;
  readonly fields: Fields;
  /** When it first differed, on the monotonic clock. */
  readonly since: number;
}

type WithStatus = KubeObject & { readonly status?: Fields };

/** The conditions that are True, each with its generation: what others act on. */
function verdicts(object: KubeObject): readonly string[] {
  const held = conditionsOf(object).filter(({ status }) => status === 'True');
  return held.map(({ type, observedGeneration }) => `${type} ${observedGeneration}`).sort();
}

/**
 * Statuses that wait for more to be said, by the object's key: so that one write tells of what changes again and again on the way, such as
 * numbers and messages. A verdict is never kept waiting, and takes the rest along. What waits is kept in memory: a new process works it out anew.
 */
export class HeldStatuses<T extends KubeObject> {
  readonly #delay: number;
  readonly #held = new Map<string, Held>();

  /** @param delay milliseconds that a status waits at most; 0: none does */
  constructor(delay: number) {
    this.#delay = delay;
  }

  /** The object with the status that waits for it laid over its own: what the next one is worked out from. */
  over(key: string, object: T): T {
    const held = this.#held.get(key);
    if (!held || held.uid !== object.metadata.uid) return object;
    const { status = {} }: WithStatus = object;
    return { ...object, status: rebaseStatus(held.base, held.fields, status) };
  }

  /**
   * Lets a status wait.
   * @param base what it was worked out from, as it was stored
   * @param now on the monotonic clock
   * @returns milliseconds until it has waited long enough; 0: it is to be written now
   */
  hold(key: string, base: T, fields: Fields, now: number): number {
    const before = (base as WithStatus).status ?? {};
    const { uid } = base.metadata;
    const known = this.#held.get(key);
    const since = known?.uid === uid && known ? known.since : now;
    const left = since + this.#delay - now;
    const isNews = !deepEqual(verdicts(base), verdicts({ ...base, status: fields } as KubeObject));
    if (left <= 0 || isNews || !mergeDiff(before, fields)) return 0;
    this.#held.set(key, { uid, base: before, fields, since });
    return left;
  }

  /** It has been written, or nobody wants to know any more. */
  forget(key: string): void {
    this.#held.delete(key);
  }

  clear(): void {
    this.#held.clear();
  }
}
