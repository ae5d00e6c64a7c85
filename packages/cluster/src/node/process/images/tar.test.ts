import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type TarEntry, tarBytes } from './tar.ts';

test('tar reads what is written: files, folders, links, and names that are long', async () => {
  const long = `${'folder/'.repeat(20)}file`;
  const entries: TarEntry[] = [
    { kind: 'folder', path: 'app', mode: 0o755 },
    { kind: 'file', path: 'app/run', mode: 0o755, bytes: Buffer.from('hello') },
    { kind: 'link', path: 'app/link', target: 'x'.repeat(150) },
    { kind: 'file', path: long, mode: 0o600, bytes: Buffer.alloc(600, 'z') },
  ];
  const tar = Buffer.concat(await Array.fromAsync(tarBytes(entries)));
  const listed = execFileSync('tar', ['-tvf', '-', '--numeric-owner'], { input: tar, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  expect(listed.map((line) => line.replace(/ +/g, ' ').replace(/ 1970-01-01 \d\d:\d\d/, ''))).toEqual([
    'drwxr-xr-x 0/0 0 app/',
    '-rwxr-xr-x 0/0 5 app/run',
    `lrwxrwxrwx 0/0 0 app/link -> ${'x'.repeat(150)}`,
    `-rw------- 0/0 600 ${long}`,
  ]);
  expect(execFileSync('tar', ['-xOf', '-', 'app/run'], { input: tar, encoding: 'utf8' })).toBe('hello');
});
