import { Pod } from '@coxswain/k8s';
import type { WatchEvent } from '@coxswain/runtime/client';
import { LABEL_COMPONENT } from '../api/index.ts';
import { isPodReady } from '../controllers/store-status.ts';
import type { Ground } from './test-ground.ts';
import { namespace } from './test-world.ts';

export type Component = 'LogSet' | 'DNSet' | 'CNSet' | 'ProxySet';

/** Notes every change of the pods of a MatrixOne: no state between two looks is missed. */
export class PodWatch implements AsyncDisposable {
  readonly #over: AbortController;
  readonly #done: Promise<void>;
  /** Those that are there. */
  readonly #pods = new Map<string, Pod>();
  readonly #fewest = new Map<Component, number>();
  /** Those that ever were, by uid, as they were seen last. */
  readonly #seen = new Map<string, Pod>();

  private constructor(stream: AsyncIterable<readonly WatchEvent<Pod>[]>, pods: readonly Pod[], over: AbortController) {
    this.#over = over;
    for (const pod of pods) this.#note(pod);
    this.#done = this.#read(stream);
  }

  static async begin({ client }: Ground): Promise<PodWatch> {
    const { items, metadata } = await client.of(Pod).list({ namespace });
    const over = new AbortController();
    const { resourceVersion = '' } = metadata;
    const stream = await client.of(Pod).watch({ namespace, resourceVersion, signal: over.signal });
    return new PodWatch(stream, items, over);
  }

  /** The fewest pods of a role that were ready at a time, since the last call. */
  fewest(component: Component): number {
    const fewest = Math.min(this.#ready(component), this.#fewest.get(component) ?? Number.POSITIVE_INFINITY);
    this.#fewest.delete(component);
    return fewest;
  }

  /** Uids of all pods of a role that there ever were. */
  ever(component: Component): readonly string[] {
    return [...this.#seen.values()]
      .filter((pod) => componentOf(pod) === component)
      .map(({ metadata }) => uidOf(metadata));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(new Error('nobody looks any more'));
    await this.#done;
  }

  #ready(component: Component): number {
    return [...this.#pods.values()].filter((pod) => componentOf(pod) === component && isPodReady(pod)).length;
  }

  #note(pod: Pod): void {
    this.#pods.set(pod.metadata.name, pod);
    this.#seen.set(uidOf(pod.metadata), pod);
  }

  async #read(stream: AsyncIterable<readonly WatchEvent<Pod>[]>): Promise<void> {
    try {
      for await (const batch of stream) for (const event of batch) this.#take(event);
    } catch (error) {
      if (!this.#over.signal.aborted) throw error;
    }
  }

  #take(event: WatchEvent<Pod>): void {
    if (event.type === 'ERROR') throw new Error(`the watch of pods ended: ${JSON.stringify(event.object)}`);
    if (event.type === 'DELETED') this.#pods.delete(event.object.metadata.name);
    else this.#note(event.object);
    const component = componentOf(event.object);
    if (!component) return;
    const before = this.#fewest.get(component) ?? Number.POSITIVE_INFINITY;
    this.#fewest.set(component, Math.min(before, this.#ready(component)));
  }
}

const componentOf = ({ metadata }: Pod) => metadata.labels?.[LABEL_COMPONENT] as Component | undefined;
const uidOf = ({ uid = '' }: Pod['metadata']) => uid;
