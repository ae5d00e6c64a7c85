/** Clusters by their names, as their users have them: processes of their own. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap } from '@coxswain/k8s';
import { createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, type TestCox, testCox } from './test-cox.ts';

/** Each of these starts many processes, which takes long on a machine that has other things to do. */
const patience = { timeout: 180_000 };

let world: TestCox;
let dir: string;

beforeAll(async () => {
  world = await testCox();
  dir = world.dir;
});
afterAll(() => world[Symbol.asyncDispose]());

const cox = (...args: string[]): Promise<Ended> => world.run(args);

async function client(kubeconfig: string) {
  return createClient({ transport: httpTransport(await loadKubeconfig({ path: kubeconfig })) });
}

/** A `cox up` that stays, and what it needs to be stopped by. */
function staying(...args: string[]) {
  const child = world.start(['up', ...args]);
  let stdout = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      stdout += text;
      if (/^ready: /m.test(stdout)) resolve();
    });
    child.once('close', () => reject(new Error(`it ended before it was ready:\n${stdout}`)));
  });
  return { child, ready, ended };
}

describe('a name', () => {
  it('belongs to one process, which status sees and stop stops; its kubeconfig goes with it', patience, async () => {
    const home = join(world.home, 'mine');
    const first = staying('--name', 'mine');
    try {
      await first.ready;
      const kubeconfig = await readFile(join(home, 'kubeconfig'), 'utf8');
      expect(kubeconfig).toMatch(/^current-context: "coxswain-mine"$/m);
      const running = new RegExp(`^running: https://127\\.0\\.0\\.1:\\d+ \\(pid ${first.child.pid}\\)\n`);
      expect((await cox('cluster', 'status', '--name', 'mine')).stdout).toMatch(running);
      for (const second of [
        ['up', '--once'],
        ['cluster', 'start'],
        ['cluster', 'start', '--detach'],
      ]) {
        const { code, stderr } = await cox(...second, '--name', 'mine');
        expect(code).toBe(2);
        expect(stderr).toMatch(
          new RegExp(
            `^error: a cluster named mine already runs \\(pid ${first.child.pid}, .*; choose another name with --name`,
          ),
        );
      }
      expect(await readFile(join(home, 'kubeconfig'), 'utf8')).toBe(kubeconfig);
      expect((await cox('cluster', 'stop', '--name', 'mine')).stdout).toMatch(/^stopped: /);
      expect(await first.ended).toBe(0);
    } finally {
      first.child.kill('SIGKILL');
    }
    await expect(stat(join(home, 'kubeconfig'))).rejects.toThrow('ENOENT');
  });
});

describe('cox cluster', () => {
  it('gives a name to one of those that start at once', patience, async () => {
    const starts = await Promise.all([1, 2, 3].map(() => cox('cluster', 'start', '--detach', '--name', 'twin')));
    try {
      expect(starts.map(({ code }) => code).sort()).toEqual([0, 2, 2]);
      for (const { code, stderr } of starts) {
        if (code !== 0) expect(stderr).toMatch(/^error: a cluster named twin already runs/);
      }
      const up = await cox('up', '--once', '--name', 'twin');
      expect(up.code).toBe(2);
      expect(up.stderr).toMatch(/^error: a cluster named twin already runs/);
    } finally {
      await cox('cluster', 'stop', '--name', 'twin');
    }
    expect((await cox('cluster', 'status', '--name', 'twin')).code).toBe(1);
  });

  it('starts in the background, tells its status, keeps its data over a stop, and stops', patience, async () => {
    const kubeconfig = join(dir, 'kubeconfig');
    const flags = ['--data-dir', join(dir, 'data'), '--kubeconfig', kubeconfig, '--name', 'kept'];
    const start = await cox('cluster', 'start', '--detach', ...flags);
    expect(start.stderr).toBe('');
    expect(start.stdout).toMatch(/^running: https:\/\/127\.0\.0\.1:\d+ \(pid \d+\)\nkubeconfig: /);
    try {
      expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
      const first = await client(kubeconfig);
      await first.of(ConfigMap).create({ metadata: { name: 'kept', namespace: 'default' }, data: { a: 'b' } });
      await first.transport.close();
      expect((await cox('cluster', 'status', '--name', 'kept')).stdout).toMatch(/^running: /);
      const twice = await cox('cluster', 'start', '--detach', ...flags);
      expect(twice.code).toBe(2);
      expect(twice.stderr).toMatch(/a cluster named kept already runs \(pid \d+/);
      const other = await cox('cluster', 'start', '--data-dir', join(dir, 'data'), '--name', 'other');
      expect(other.code).toBe(2);
      expect(other.stderr).toMatch(/in use by process \d+/);
    } finally {
      expect((await cox('cluster', 'stop', '--name', 'kept')).stdout).toMatch(/^stopped: /);
    }
    const again = await cox('cluster', 'start', '--detach', ...flags);
    expect(again.code).toBe(0);
    try {
      const second = await client(kubeconfig);
      expect((await second.of(ConfigMap).get({ namespace: 'default', name: 'kept' })).data).toEqual({ a: 'b' });
      await second.transport.close();
    } finally {
      await cox('cluster', 'stop', '--name', 'kept');
    }
    expect(await readFile(join(world.home, 'kept', 'cluster.json'), 'utf8').catch(() => 'gone')).toBe('gone');
    const status = await cox('cluster', 'status', '--name', 'kept');
    expect(status.code).toBe(1);
    expect(status.stderr).toMatch(/no cluster named kept is running/);
  });
});
