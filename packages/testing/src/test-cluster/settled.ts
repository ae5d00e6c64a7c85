import type { Client } from '@coxswain/runtime/client';
import type { Clock } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import type { Activity } from './activity.ts';
import { behind } from './behind.ts';
import { TestTimeout } from './errors.ts';
import { passTime } from './pass-time.ts';
import type { WaitOptions } from './types.ts';

/** What may still have work to do. */
export interface Workers {
  readonly client: Client;
  readonly clock: Clock;
  readonly managers: readonly Manager[];
  readonly activity: Activity;
  readonly server: { readonly idle: boolean };
}

/** Milliseconds between two looks. */
const pause = 5;

/** See {@link TestCluster.settled}. */
export async function settled(workers: Workers, { timeout = 30_000, what }: WaitOptions = {}): Promise<void> {
  const { clock } = workers;
  const end = clock.monotonic() + timeout;
  // what has been asked for a moment ago is to begin first
  await passTime(clock, 0);
  for (;;) {
    const busy = await whoIsBusy(workers);
    if (busy === undefined) return;
    if (clock.monotonic() >= end) {
      throw new TestTimeout(`${what ?? 'the world'} is not at rest after ${timeout / 1000}s: ${busy}`);
    }
    await passTime(clock, pause);
  }
}

/** Looks twice: what began to move while the server was asked is not at rest. */
async function whoIsBusy(workers: Workers): Promise<string | undefined> {
  const { client, managers, activity } = workers;
  const { writes } = activity;
  const before = working(workers);
  if (before !== undefined) return before;
  for (const manager of managers) {
    for (const informer of manager.cache.informers()) {
      const why = await behind(client, informer);
      if (why !== undefined) return `manager ${manager.name}: ${why}`;
    }
  }
  return working(workers) ?? (activity.writes === writes ? undefined : 'somebody wrote a moment ago');
}

function working({ managers, activity, server }: Workers): string | undefined {
  for (const manager of managers) {
    const waiting = manager.cache.informers().find(({ hasSynced }) => !hasSynced);
    if (waiting) return `manager ${manager.name}: ${waiting.kind.plural} have not been listed yet`;
    if (!manager.idle) return `manager ${manager.name} has work`;
  }
  if (!server.idle) return 'the controllers of the server have work';
  return activity.inFlight > 0 ? `${activity.inFlight} requests have no answer yet` : undefined;
}
