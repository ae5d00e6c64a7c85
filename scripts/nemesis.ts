/** `./cox test nemesis [--rounds N]`: pods with claims come and go on a process-backed node, and leave nothing behind; default 500. */
import { parseArgs } from 'node:util';
import { run } from './run.ts';

function roundsOf(args: readonly string[]): number | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '500' } } });
    const rounds = Number(values.rounds);
    return Number.isSafeInteger(rounds) && rounds > 0 ? rounds : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the exit code: 0 when nothing was left */
export async function nemesis(args: readonly string[]): Promise<number> {
  const rounds = roundsOf(args);
  if (rounds === undefined) {
    process.stdout.write('usage: ./cox test nemesis [--rounds N]\n');
    return 2;
  }
  process.env['COX_NEMESIS_ROUNDS'] = String(rounds);
  const code = await run('vitest', ['run', 'packages/cluster/src/real-servers/leaks.test.ts']);
  process.stdout.write(code === 0 ? '1 passed, 0 failed\n' : '0 passed, 1 failed\n');
  return code;
}
