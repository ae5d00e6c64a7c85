import { lstat, mkdir, open, realpath, stat } from 'node:fs/promises';
import { RuntimeRefusal } from '../../runtime.ts';

const checks: Readonly<
  Record<string, { readonly what: string; readonly fits: (info: Awaited<ReturnType<typeof stat>>) => boolean }>
> = {
  Directory: { what: 'a directory', fits: (info) => info.isDirectory() },
  DirectoryOrCreate: { what: 'a directory', fits: (info) => info.isDirectory() },
  File: { what: 'a file', fits: (info) => info.isFile() },
  FileOrCreate: { what: 'a file', fits: (info) => info.isFile() },
  Socket: { what: 'a socket file', fits: (info) => info.isSocket() },
  CharDevice: { what: 'a character device', fits: (info) => info.isCharacterDevice() },
  BlockDevice: { what: 'a block device', fits: (info) => info.isBlockDevice() },
};

/**
 * The place of the machine that a hostPath volume is. What may be made is made.
 * @throws RuntimeRefusal with `FailedMount`
 */
export async function hostPath(volume: string, path: string, type: string): Promise<string> {
  const refuse = (what: string) =>
    new RuntimeRefusal('FailedMount', `MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${what}`);
  const there = await lstat(path).catch(() => undefined);
  if (!there && (type === 'DirectoryOrCreate' || type === '')) await mkdir(path, { recursive: true, mode: 0o755 });
  if (!there && type === 'FileOrCreate') await (await open(path, 'a', 0o644)).close();
  const info = await stat(path).catch(() => undefined);
  const check = checks[type];
  if (check && !(info && check.fits(info))) throw refuse(`hostPath type check failed: ${path} is not ${check.what}`);
  if (!info) throw refuse(`hostPath ${path} does not exist`);
  return realpath(path);
}
