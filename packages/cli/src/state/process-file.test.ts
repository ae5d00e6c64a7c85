import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, parseStat, processStart, readProcessFile, writeProcessFile } from './process-file.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cox-process-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const place = { url: 'https://127.0.0.1:1', kubeconfig: '/k' };

describe('parseStat', () => {
  it('reads state and start time behind any name', () => {
    const rest = Array.from({ length: 30 }, (_, i) => String(i + 4)).join(' ');
    expect(parseStat(`7 (a) b (c) Z ${rest}`)).toEqual({ state: 'Z', started: '22' });
    expect(parseStat('')).toEqual({ state: '', started: '' });
  });
});

describe('a process file', () => {
  it('names a cluster as long as its process runs', async () => {
    const mine = { pid: process.pid, started: await processStart(process.pid), ...place };
    await writeProcessFile(home, mine);
    expect(await readProcessFile(home)).toEqual(mine);
  });

  it.skipIf(!existsSync('/proc/self/stat'))('is nobody’s when another process has the pid', async () => {
    await writeProcessFile(home, { pid: process.pid, started: '1', ...place });
    expect(await readProcessFile(home)).toBeUndefined();
  });

  it.skipIf(!existsSync('/proc/self/stat'))('is nobody’s when the process is dead and not yet waited for', async () => {
    // the shell starts a child, becomes a program that never waits for it, and the child ends
    const parent = spawn('sh', ['-c', 'sh -c "read line" <&3 & echo $!; exec tail -f /dev/null'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    try {
      const [line] = (await once(parent.stdio[1] as Readable, 'data')) as [Buffer];
      const pid = Number(line.toString());
      const cluster = { pid, started: await processStart(pid), ...place };
      expect(await isRunning(cluster)).toBe(true);
      (parent.stdio[3] as Writable).write('\n');
      while (!/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8')));
      expect(await isRunning(cluster)).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
