import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { defaultBehaviour, type PodBehaviour } from '../node/index.ts';
import { startCluster } from '../start-cluster.ts';
import type { Ground } from './types.ts';

export interface EmbeddedGround extends Ground, AsyncDisposable {}

/** Containers take a moment to start and to end, as real ones do: nobody could see what happens at once. */
const unhurried: PodBehaviour = (pod, container, attempt) => ({
  pull: { there: true },
  startDelay: 300,
  stopDelay: 200,
  ...defaultBehaviour(pod, container, attempt),
});

/** An embedded cluster of two simulated nodes, in virtual time. */
export async function embeddedGround(): Promise<EmbeddedGround> {
  const clock = new VirtualClock();
  const cluster = await clock.drive(
    startCluster({
      clock,
      random: seededRandom(1),
      log: silentLogger,
      nodes: 2,
      behaviour: unhurried,
      podEvents: true,
    }),
  );
  return {
    client: cluster.client,
    nodes: ['node-1', 'node-2'],
    async until(what, done, limit) {
      // small steps: what is waited for may need somebody to look
      const end = clock.now() + limit * 1000;
      await clock.settle();
      while (!done()) {
        if (clock.now() >= end) throw new Error(`not after ${limit}s: ${what}`);
        await clock.advance(50);
      }
    },
    wait: (seconds) => clock.advance(seconds * 1000),
    powerOff: (node) => clock.drive(cluster.nodes.stop(node)),
    powerOn: (node) => clock.drive(cluster.nodes.start(node)),
    async [Symbol.asyncDispose]() {
      await clock.drive(cluster.stop());
    },
  };
}
