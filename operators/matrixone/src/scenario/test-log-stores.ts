import { Pod } from '@coxswain/k8s';
import { type Clock, parseTime, sleep } from '@coxswain/runtime/core';
import type { LogStoreRecord } from '../cnstore/index.ts';
import { isPodReady, ordinalOf } from '../controllers/store-status.ts';
import { logStoreUuid } from '../identity/index.ts';
import { KnownNodes } from './test-known-nodes.ts';
import { World, type WorldOptions } from './test-world.ts';

const namespace = 'default';

/** Log stores that have their replicas again some time after each start. */
export class LogStores extends KnownNodes {
  /** Milliseconds from a start until the replicas work. */
  joinsAfter = 20_000;
  /** Pods of stores whose replicas never work. */
  readonly lost = new Set<string>();
  /** Whether HAKeeper answers only while two stores have their replicas, as it does with three of them. */
  needsMajority = false;
  /** Milliseconds that an answer takes. */
  answersAfter = 0;
  /** How often anybody wanted to know it as it is now. */
  asked = 0;
  world: World | undefined;

  async logStores(_: string, age: number): Promise<readonly LogStoreRecord[]> {
    if (age === 0) this.asked++;
    if (this.trouble) throw this.trouble;
    if (this.answersAfter > 0) await sleep(this.world?.clock as Clock, this.answersAfter);
    const pods = await this.pods();
    const working = pods.filter((pod) => isPodReady(pod) && !this.isAway(pod));
    if (this.needsMajority && working.length < 2) throw new Error('no HAKeeper was found');
    return pods.map((pod) => ({
      uuid: logStoreUuid(ordinalOf(pod.metadata.name)),
      leads: [],
      works: this.isAway(pod) ? [] : [0, 1],
      missing: this.isAway(pod) ? [0, 1] : [],
      silentFor: isPodReady(pod) ? 0 : 60_000,
    }));
  }

  async pods(): Promise<readonly Pod[]> {
    const labels = { 'matrixorigin.io/component': 'LogSet' };
    return (await this.world?.client.of(Pod).list({ namespace, labels }))?.items ?? [];
  }

  isAway(pod: Pod): boolean {
    const { metadata, status } = pod;
    const started = status?.containerStatuses?.[0]?.state?.running?.startedAt;
    const clock = this.world?.clock as Clock;
    return this.lost.has(metadata.name) || !started || clock.now() - parseTime(started) < this.joinsAfter;
  }
}

/** The example, settled for a minute, with such log stores. */
export async function startLogStores(
  change?: Parameters<World['applyExample']>[0],
  options: WorldOptions = {},
): Promise<{ world: World; stores: LogStores }> {
  const stores = new LogStores();
  const world = await World.start({ ...options, cnStores: stores });
  stores.world = world;
  await world.applyExample(change);
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  return { world, stores };
}
