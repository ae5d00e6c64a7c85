import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { endsWithParent } from './ends-with-parent.ts';

const linux = existsSync('/proc/self/stat');
const parent = new URL('./test-parent.ts', import.meta.url).pathname;

/** Whether a process is there and runs: one that has ended may not have been waited for yet. */
const runs = (pid: number) =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (text) => !/\) [ZX] /.test(text),
    () => false,
  );

async function untilEnded(pids: readonly number[]): Promise<void> {
  const deadline = systemClock.monotonic() + 20_000;
  for (;;) {
    const left: number[] = [];
    for (const pid of pids) if (await runs(pid)) left.push(pid);
    if (left.length === 0) return;
    if (systemClock.monotonic() > deadline) {
      for (const pid of left) process.kill(pid, 'SIGKILL');
      throw new Error(`${left.length} of ${pids.length} processes have outlived their parent`);
    }
    await sleep(systemClock, 20);
  }
}

test.runIf(linux).each(['SIGTERM', 'SIGKILL'] as const)(
  'what a suite has started ends with it when that is ended by %s',
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'coxswain-parent-'));
    const suite = spawn(...endsWithParent(process.execPath, [parent, folder]), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(suite.stdout.setEncoding('utf8'), 'data')) as [string];
    const pids = JSON.parse(line) as number[];
    expect(await Promise.all(pids.map(runs))).toEqual([true, true]);
    suite.kill(signal);
    await untilEnded(pids);
    await rm(folder, { recursive: true, force: true });
  },
);

test('the process is the program itself, with its exit code', async () => {
  const child = spawn(...endsWithParent('sh', ['-c', 'echo $$; exit 3']), { stdio: ['ignore', 'pipe', 'inherit'] });
  const [[line], [code]] = await Promise.all([once(child.stdout.setEncoding('utf8'), 'data'), once(child, 'exit')]);
  expect(Number(line)).toBe(child.pid);
  expect(code).toBe(3);
});
