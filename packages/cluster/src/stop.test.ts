import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCluster } from './start-cluster.ts';

const root = process.getuid?.() === 0;

/** Why nobody can connect with a port; `undefined`: somebody can. */
const refusal = (port: number) =>
  new Promise<string | undefined>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(undefined);
    }).once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });

/** The folders that nodes of this process have for what they do not keep. */
const scratchFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`coxswain-nodes-${process.pid}-`));

test('what cannot be removed at the end is told, and nothing else is left for it', async ({ skip }) => {
  skip(!root, 'takes root, to keep a folder from being removed');
  const before = await scratchFolders();
  const cluster = await startCluster({ processNodes: 1, port: 0 });
  const port = Number(new URL(cluster.url ?? '').port);
  const [own = ''] = (await scratchFolders()).filter((name) => !before.includes(name));
  const busy = join(tmpdir(), own, 'busy');
  await mkdir(busy);
  execFileSync('mount', ['-t', 'tmpfs', 'busy', busy]);
  try {
    expect(await refusal(port)).toBeUndefined();
    await expect(cluster.stop()).rejects.toThrow('EBUSY');
    expect(await refusal(port)).toBe('ECONNREFUSED');
  } finally {
    execFileSync('umount', [busy]);
  }
  await rm(join(tmpdir(), own), { recursive: true });
});
