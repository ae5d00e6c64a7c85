import type { Clock } from '@coxswain/runtime/core';
import type { ContainerUsage } from '../../apiserver/index.ts';
import type { RunningContainer } from '../runtime.ts';

interface Reading {
  /** Seconds of CPU since the start of the run. */
  readonly cpu: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cpuNanoCores: number;
}

/** Readings that are nearer than this say little, as time is counted in hundredths of a second. Milliseconds. */
const leastApart = 1000;

/** What containers use now, from readings of what they have used. */
export class UsageRates {
  readonly #clock: Clock;
  readonly #last = new WeakMap<RunningContainer, Reading>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** CPU is the mean since the reading before, or since the start. `undefined`: nobody measures it, or it has ended. */
  of(run: RunningContainer): ContainerUsage | undefined {
    const used = run.usage?.();
    if (!used) return undefined;
    const at = this.#clock.now();
    const last = this.#last.get(run) ?? { cpu: 0, at: run.startedAt, cpuNanoCores: 0 };
    const apart = at - last.at;
    if (apart < leastApart) return { cpuNanoCores: last.cpuNanoCores, memoryBytes: used.memory };
    const cpuNanoCores = Math.max(0, Math.round(((used.cpu - last.cpu) * 1e12) / apart));
    this.#last.set(run, { cpu: used.cpu, at, cpuNanoCores });
    return { cpuNanoCores, memoryBytes: used.memory };
  }
}
