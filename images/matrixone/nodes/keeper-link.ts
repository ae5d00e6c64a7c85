import { HaKeeper } from '@coxswain/operator-matrixone/mo';
import { MorpcClient } from '@coxswain/operator-matrixone/morpc';
import { sleep } from '@coxswain/runtime/core';
import { type Heartbeats, heartbeatMethods, storeService } from '../wire/heartbeats.ts';
import { repeat } from './repeat.ts';
import { ServiceEnd, type Surroundings } from './surroundings.ts';

/** Milliseconds. */
const times = { heartbeat: 1000, answer: 1000, findKeeper: 300_000, look: 200 };

/** A node's way to HAKeeper: its heartbeats, and what it waits for at its start. */
export class KeeperLink {
  readonly client: MorpcClient;
  readonly keeper: HaKeeper;
  readonly #surroundings: Surroundings;
  readonly #addresses: readonly string[];
  #current: string | undefined;
  #beat: { stop(): Promise<void> } | undefined;

  constructor(addresses: readonly string[], surroundings: Surroundings) {
    const { clock, random, dial } = surroundings;
    this.#surroundings = surroundings;
    this.#addresses = addresses;
    this.client = new MorpcClient({ clock, random, dial, maxBackoff: 500 });
    this.keeper = new HaKeeper({ client: this.client, clock, addresses });
  }

  /** Looks until something holds. @throws ServiceEnd with 2 when it did not within `ms`, as the real one panics */
  async waitFor(what: string, ms: number, holds: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#surroundings;
    const deadline = clock.monotonic() + ms;
    while (!(await holds().catch(() => false))) {
      if (clock.monotonic() >= deadline) throw new ServiceEnd(2, `${what}: not within ${ms / 1000}s`);
      await sleep(clock, times.look);
    }
  }

  /** Waits for a HAKeeper that answers. @throws ServiceEnd */
  async findKeeper(): Promise<void> {
    await this.waitFor('find HAKeeper', times.findKeeper, async () => {
      await this.keeper.clusterState({ timeout: times.answer });
      return true;
    });
  }

  /** Reports the node now and each second, until {@link close}. */
  beat(method: keyof typeof heartbeatMethods, heartbeat: Heartbeats): void {
    const { clock, faults } = this.#surroundings;
    this.#beat = repeat(clock, times.heartbeat, async () => {
      if ((await faults.get('lost-store')) !== undefined) return;
      await this.#report(method, heartbeat);
    });
  }

  async close(): Promise<void> {
    this.client.close();
    await this.#beat?.stop();
  }

  /** Tells one replica after the other until one takes it, and stays with that. */
  async #report(name: keyof typeof heartbeatMethods, heartbeat: Heartbeats): Promise<void> {
    const request = { method: heartbeatMethods[name], ...heartbeat };
    for (const address of await this.#candidates()) {
      try {
        const answer = await this.client.call(storeService, address, name, request, { timeout: times.answer });
        if (answer.errorCode !== 0) continue;
        this.#current = address;
        return;
      } catch (error) {
        this.#surroundings.logger.debug({ error, address }, 'a heartbeat did not arrive');
      }
    }
    this.#current = undefined;
  }

  async #candidates(): Promise<readonly string[]> {
    if (this.#current !== undefined) return [this.#current, ...this.#addresses];
    const info = await this.keeper.shardInfo(0n, { timeout: times.answer }).catch(() => undefined);
    const replicas = [...(info?.replicas.values() ?? [])].map(({ serviceAddress }) => serviceAddress);
    return [...new Set([...replicas, ...this.#addresses])];
  }
}
