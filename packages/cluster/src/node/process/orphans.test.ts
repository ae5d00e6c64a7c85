import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { endsWithParent } from '@coxswain/testing/processes';
import { expect, test } from 'vitest';
import { living, testRuntime } from './test-pod.ts';

const program = new URL('./test-program.ts', import.meta.url).pathname;
const root = process.getuid?.() === 0;
const nobody = 65534;

/** Processes whose parameters or variables have a text. */
async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const [words, variables] = await Promise.all(
      ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    );
    if (words?.includes(text) || variables?.includes(text)) found.push(Number(pid));
  }
  return found;
}

async function untilNone(text: string): Promise<void> {
  const deadline = systemClock.monotonic() + 10_000;
  for (;;) {
    const left = await processesWith(text);
    if (left.length === 0) return;
    if (systemClock.monotonic() > deadline) throw new Error(`processes ${left.join(', ')} are left`);
    await sleep(systemClock, 20);
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const part of child.stdout ?? []) {
    text += part;
    if (text.includes('\n')) return text;
  }
  throw new Error(`it ended with ${child.exitCode} and said nothing`);
}

/** Starts a runtime in a process of its own, and kills that when its container runs. @returns what it said */
async function killedRuntime(dataDir: string, isolation: string, user?: number): Promise<string> {
  const child = spawn(...endsWithParent(process.execPath, [program, dataDir, isolation]), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ORPHAN_TEST: dataDir },
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  try {
    const said = await firstLine(child);
    expect((await processesWith('sleep\x007654321')).length).toBeGreaterThan(0);
    return said;
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

const mounts = async () => (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').length;

test.each(['best', 'none'])('a cluster that is killed takes its containers along, isolation %s', async (isolation) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'coxswain-orphans-'));
  const before = await mounts();
  await killedRuntime(dataDir, isolation);
  await untilNone(dataDir);
  await untilNone('sleep\x007654321');
  expect(await mounts()).toBe(before);
  expect(await readdir(join(dataDir, 'pods'))).toHaveLength(1);
  await using next = await testRuntime({ dataDir });
  await next.runtime.sweep(living());
  expect(await readdir(join(dataDir, 'pods'))).toEqual([]);
  expect(await readdir(join(dataDir, 'logs'))).toEqual([]);
});

test.runIf(root)('without privileges containers have a root of their own by a user namespace', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'coxswain-orphans-'));
  await chown(dataDir, nobody, nobody);
  expect(await killedRuntime(dataDir, 'best', nobody)).toMatch(/^as 0,/);
  await untilNone('sleep\x007654321');
  await rm(dataDir, { recursive: true });
});
