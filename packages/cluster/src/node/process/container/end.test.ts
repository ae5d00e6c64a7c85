import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { testRuntime } from '../test-pod.ts';
import { childrenOf } from './process-tree.ts';

const root = process.getuid?.() === 0;
const groups = root && existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');

/** The groups of this process's containers. */
async function groupsOfAll(): Promise<string[]> {
  const base = '/sys/fs/cgroup/memory';
  const own = (await readdir(base)).filter((name) => name.startsWith(`coxswain-${process.pid}-`));
  const folders = own.map((name) => join(base, name));
  const entries = await Promise.all(folders.map((folder) => readdir(folder, { withFileTypes: true })));
  return entries.flatMap((all, i) =>
    all.filter((entry) => entry.isDirectory()).map(({ name }) => join(folders[i] ?? '', name)),
  );
}

test.runIf(groups)(
  'a run whose group cannot be removed has ended all the same; the group goes with the pod',
  async () => {
    await using all = await testRuntime();
    const { sandbox, run } = await all.pod([{ command: ['sleep', '1000'], resources: { limits: { memory: '32Mi' } } }]);
    const { container, exit } = await run();
    const [group = ''] = await groupsOfAll();
    // a group within it keeps it
    await mkdir(join(group, 'inner'));
    container.kill('SIGKILL');
    expect(await exit).toMatchObject({ exitCode: 137 });
    expect(await groupsOfAll()).toEqual([group]);
    await rmdir(join(group, 'inner'));
    await sandbox.remove();
    expect(await groupsOfAll()).toEqual([]);
    expect(childrenOf(process.pid).length).toBeLessThanOrEqual(1);
  },
);

test('a client that has joined and reads nothing does not keep a container from its end', async () => {
  await using all = await testRuntime();
  const { run } = await all.pod([{ command: ['yes'] }]);
  const { container, exit } = await run();
  const stdout = new PassThrough({ highWaterMark: 1 });
  const attached = container.attach(false, { stdout, signal: new AbortController().signal });
  await once(stdout, 'readable');
  container.kill('SIGKILL');
  expect(await exit).toMatchObject({ exitCode: 137 });
  await attached;
});

test.runIf(groups)(
  'a group that a killed cluster has left, and nobody can remove, keeps none from limits',
  async () => {
    const left = '/sys/fs/cgroup/memory/coxswain-1-1';
    await mkdir(join(left, 'container', 'inner'), { recursive: true });
    try {
      await using all = await testRuntime();
      const { run } = await all.pod([{ command: ['sleep', '1000'], resources: { limits: { memory: '32Mi' } } }]);
      await run();
      expect(await groupsOfAll()).toHaveLength(1);
    } finally {
      for (const folder of ['container/inner', 'container', '']) await rmdir(join(left, folder));
    }
  },
);
