import { PersistentVolume, Pod } from '@coxswain/k8s';
import type { Controller } from '@coxswain/runtime/controller';
import type { Manager } from '@coxswain/runtime/manager';
import { tryAll } from '../../try-all.ts';
import type { ContainerRuntime, Living } from '../runtime.ts';

/** Stands for all that is to be swept: however many things are gone, one sweep follows. */
const everything = { name: '' };

/** Has runtimes remove what pods and volumes that are gone have left: one sweep at a time, again until it ends well. */
export class Sweeps {
  readonly #manager: Manager;
  readonly #runtimes: () => Iterable<ContainerRuntime>;
  readonly #controller: Controller;

  constructor(manager: Manager, runtimes: () => Iterable<ContainerRuntime>) {
    this.#manager = manager;
    this.#runtimes = runtimes;
    this.#controller = manager.controller(PersistentVolume, 'volume-folders').run({
      reconcile: async ({ cache, key }) => {
        if (key.name === everything.name) await this.#run();
        else if (!cache.store(PersistentVolume).get(key)) this.request();
      },
    });
  }

  /** The first sweep. Nodes that have something which cannot be removed start all the same. */
  async begin(): Promise<void> {
    await this.#run().catch((error: unknown) => {
      this.#manager.log.warn({ error }, 'what is left of pods and volumes that are gone could not be removed yet');
      this.request();
    });
  }

  /** Something is gone. */
  request(): void {
    this.#controller.enqueue(everything);
  }

  async #run(): Promise<void> {
    const { client } = this.#manager;
    const living: Living = {
      pods: async () => {
        const uids = new Set<string>();
        for await (const { metadata } of client.of(Pod).listAll()) uids.add(metadata.uid ?? '');
        return uids;
      },
      hasVolume: async (name) => (await client.of(PersistentVolume).find({ name })) !== undefined,
    };
    await tryAll([...this.#runtimes()].map((runtime) => async () => runtime.sweep?.(living)));
  }
}
