import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tar } from './tar.ts';

test('folders, files and links, as other programs read them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-tar-'));
  try {
    const file = join(folder, 'a.tar');
    const entries = [
      { path: 'bin', mode: 0o755, content: undefined },
      { path: 'bin/sh', mode: 0o755, content: Buffer.alloc(513, 'x') },
      { path: 'bin/ls', mode: 0o777, content: { link: 'sh' } },
      { path: 'tmp', mode: 0o1777, content: undefined },
    ];
    await writeFile(file, tar(entries));
    const { stdout } = await promisify(execFile)('tar', ['-tvf', file], { env: { TZ: 'UTC', PATH: '/usr/bin:/bin' } });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replaceAll(/\s+/g, ' ')),
    ).toEqual([
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 bin',
      '-rwxr-xr-x 0/0 513 1970-01-01 00:00 bin/sh',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin/ls -> sh',
      'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp',
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
