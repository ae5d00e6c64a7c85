/** `./cox test nemesis [--rounds N]`: pods with claims come and go on a process-backed node, and leave nothing behind; default 500. */
import { optionsOf } from './options.ts';
import { run } from './run.ts';

/** @returns the exit code: 0 when nothing was left */
export async function nemesis(args: readonly string[]): Promise<number> {
  const rounds = optionsOf(args, { rounds: 500 })?.rounds;
  if (rounds === undefined) {
    process.stdout.write('usage: ./cox test nemesis [--rounds N]\n');
    return 2;
  }
  process.env['COX_NEMESIS_ROUNDS'] = String(rounds);
  const code = await run('vitest', ['run', 'packages/cluster/src/real-servers/leaks.test.ts']);
  process.stdout.write(code === 0 ? '1 passed, 0 failed\n' : '0 passed, 1 failed\n');
  return code;
}
