import type { Kind, KubeObject } from '@coxswain/k8s';
import { writeStatus } from '../apply/index.ts';
import { statusOf } from '../apply/status.ts';
import type { Client } from '../client/index.ts';
import { deepEqual, type Fields, keyOf, keyString, type ObjectKey } from '../core/index.ts';

/** What is written, and where it comes from. */
interface StatusWrite<T extends KubeObject> {
  readonly client: Client;
  /** The object that the status was worked out from. */
  readonly base: T;
  /** The object as the store has it now. */
  readonly current: T;
  readonly fields: Fields;
  readonly signal: AbortSignal;
}

/**
 * Writes statuses, and remembers of which objects it is not sure what they say then: after a write without an answer, and where others wrote
 * meanwhile. A pass that finds nothing to say by a copy from before that would leave their word, or an earlier one of its own, for good.
 */
export class StatusWriter<T extends KubeObject> {
  readonly #kind: Kind<T>;
  readonly #options: { readonly subresource: boolean; readonly fieldManager: string };
  readonly #unsure = new Set<string>();

  constructor(kind: Kind<T>, options: { readonly subresource: boolean; readonly fieldManager: string }) {
    this.#kind = kind;
    this.#options = options;
  }

  /** Whether the object must be looked at again, although nothing may tell of a change. */
  isUnsure(key: ObjectKey): boolean {
    return this.#unsure.has(keyString(key));
  }

  forget(key: ObjectKey): void {
    this.#unsure.delete(keyString(key));
  }

  clear(): void {
    this.#unsure.clear();
  }

  /** Writes what differs. @throws as {@link writeStatus} does */
  async write({ client, base, current, fields, signal }: StatusWrite<T>): Promise<void> {
    const key = keyString(keyOf(base));
    const wasUnsure = this.#unsure.has(key);
    let isAlone = deepEqual(statusOf(current), statusOf(base));
    const onConflict = () => {
      isAlone = false;
    };
    // Until there is an answer.
    this.#unsure.add(key);
    const after = await writeStatus(client, this.#kind, base, fields, {
      ...this.#options,
      signal,
      current,
      onConflict,
    });
    if (isAlone && (after !== current || !wasUnsure || (await this.#isNewest(client, base, signal))))
      this.#unsure.delete(key);
  }

  /** Whether the copy that a status was worked out from is what the server has. */
  async #isNewest(client: Client, base: T, signal: AbortSignal): Promise<boolean> {
    const live = await client.of(this.#kind).find(keyOf(base), { signal });
    return !live || live.metadata.resourceVersion === base.metadata.resourceVersion;
  }
}
