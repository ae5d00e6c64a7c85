import { expect, test } from 'vitest';
import type { ContainerUsage, RunningContainer } from '../runtime.ts';
import { UsageRates } from './usage-rates.ts';

test('the CPU of a container is the mean between two readings, its memory that of now', () => {
  let now = 10_000;
  let used: ContainerUsage | undefined = { cpu: 1, memory: 5 };
  const run = { startedAt: 8_000, usage: () => used } as unknown as RunningContainer;
  const rates = new UsageRates({ now: () => now } as ConstructorParameters<typeof UsageRates>[0]);
  expect(rates.of(run)).toEqual({ cpuNanoCores: 500_000_000, memoryBytes: 5 });
  now += 10;
  used = { cpu: 1.01, memory: 6 };
  expect(rates.of(run)).toEqual({ cpuNanoCores: 500_000_000, memoryBytes: 6 });
  now += 3_990;
  used = { cpu: 2, memory: 7 };
  expect(rates.of(run)).toEqual({ cpuNanoCores: 250_000_000, memoryBytes: 7 });
  used = undefined;
  expect(rates.of(run)).toBeUndefined();
});
