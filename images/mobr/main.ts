/** `mo_br`, as far as an operator uses it: `backup` and `restore`. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '@coxswain/runtime/core';
import { runProgram } from './run.ts';

process.exitCode = await runProgram(process.argv.slice(2), {
  clock: systemClock,
  env: process.env,
  folder: process.cwd(),
  newId: randomUUID,
  say: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
