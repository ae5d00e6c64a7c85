import { type Clock, sleep } from '@coxswain/runtime/core';
import type { Ground } from './types.ts';

/** A cluster in the time that passes for everybody. */
export function liveGround(clock: Clock, cluster: Pick<Ground, 'client' | 'nodes' | 'powerOff' | 'powerOn'>): Ground {
  return {
    client: cluster.client,
    nodes: cluster.nodes,
    async until(what, done, limit) {
      const end = clock.monotonic() + limit * 1000;
      while (!done()) {
        if (clock.monotonic() >= end) throw new Error(`not after ${limit}s: ${what}`);
        await sleep(clock, 50);
      }
    },
    wait: (seconds) => sleep(clock, seconds * 1000),
    powerOff: (node) => cluster.powerOff(node),
    powerOn: (node) => cluster.powerOn(node),
  };
}
