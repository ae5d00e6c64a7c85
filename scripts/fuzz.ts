/** `./cox test fuzz [--inputs N] [--seed N]`: broken requests to the embedded server; default 100,000 from seed 1. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '@coxswain/runtime/core';
import { fuzz } from '../packages/cluster/src/fuzz/index.ts';
import { optionsOf } from './options.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const mib = 1024 * 1024;
/** What the heap may be larger after the last round than after the second, in MiB: compiled code and caches of bounded size. */
const allowance = 40;

function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed / mib;
}

/** @returns the exit code: 0 when every request was answered as it should be and the memory came back */
export async function fuzzing(args: readonly string[]): Promise<number> {
  const wanted = optionsOf(args, { inputs: 100_000, seed: 1 });
  if (!wanted) {
    say('usage: ./cox test fuzz [--inputs N] [--seed N]');
    return 2;
  }
  say(`${wanted.inputs} requests from seed ${wanted.seed}`);
  const heaps: number[] = [];
  const { statuses, findings } = await fuzz({
    ...wanted,
    clock: systemClock,
    onRound(done) {
      heaps.push(heap());
      if (done % 10_000 === 0) say(`${done} done, heap ${heaps.at(-1)?.toFixed(0)} MiB`);
    },
  });
  for (const { index, sample, status, text } of findings) {
    say(`FAIL #${index}: ${status} ${sample.method} ${sample.path} (${sample.contentType ?? 'no body'})`);
    say(`  ${sample.body?.toString().slice(0, 600) ?? ''}\n  -> ${text.slice(0, 600)}`);
  }
  const sorted = [...statuses].sort(([a], [b]) => a - b);
  say(`answers: ${sorted.map(([status, count]) => `${status}: ${count}`).join(', ')}`);
  const growth = (heaps.at(-1) ?? 0) - (heaps[1] ?? heaps[0] ?? 0);
  const kept = growth > allowance;
  say(`${kept ? 'FAIL ' : ''}heap after a round: ${growth.toFixed(1)} MiB more at the end than after the second`);
  const failed = findings.length + (kept ? 1 : 0);
  say(`${wanted.inputs - findings.length} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
