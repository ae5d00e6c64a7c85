/**
 * `mo-service`, as far as an operator can tell: one program that is a log store, a transaction node, a compute node or a proxy, by MatrixOne's own
 * configuration files. What it can be told by variables is in README.md.
 */
import { systemClock, systemRandom } from '@coxswain/runtime/core';
import { run } from './run.ts';

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort(new Error(signal)));

process.exit(
  await run(process.argv.slice(2), {
    clock: systemClock,
    random: systemRandom,
    env: process.env,
    stop: stop.signal,
    write: (line) => process.stderr.write(line),
    say: (text) => process.stdout.write(text),
  }),
);
