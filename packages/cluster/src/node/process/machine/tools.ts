import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Programs of util-linux, coreutils and e2fsprogs that containers and volumes are made with, by their absolute path. */
export type ToolName =
  | 'chmod'
  | 'chown'
  | 'e2fsck'
  | 'env'
  | 'hostname'
  | 'losetup'
  | 'mkdir'
  | 'mkfifo'
  | 'mkfs.ext4'
  | 'mount'
  | 'nsenter'
  | 'pivot_root'
  | 'readlink'
  | 'resize2fs'
  | 'rmdir'
  | 'script'
  | 'setpriv'
  | 'sh'
  | 'stty'
  | 'tar'
  | 'umount'
  | 'unshare';

const names: readonly ToolName[] = [
  'chmod',
  'chown',
  'e2fsck',
  'env',
  'hostname',
  'losetup',
  'mkdir',
  'mkfifo',
  'mkfs.ext4',
  'mount',
  'nsenter',
  'pivot_root',
  'readlink',
  'resize2fs',
  'rmdir',
  'script',
  'setpriv',
  'sh',
  'stty',
  'tar',
  'umount',
  'unshare',
];

/** Those of the machine's tools that are there. */
export class Tools {
  readonly #paths: ReadonlyMap<string, string>;

  constructor(paths: ReadonlyMap<string, string>) {
    this.#paths = paths;
  }

  has(...wanted: readonly ToolName[]): boolean {
    return wanted.every((name) => this.#paths.has(name));
  }

  /** Those of the wanted ones that are missing. */
  missing(...wanted: readonly ToolName[]): readonly ToolName[] {
    return wanted.filter((name) => !this.#paths.has(name));
  }

  /** @throws Error when it is not there: ask {@link has} before */
  path(name: ToolName): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`the program ${name} is not on this machine`);
    return path;
  }
}

async function find(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    const there = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return path;
  }
  return undefined;
}

/** @param path as the variable PATH; the folders of system programs are looked through, too */
export async function findTools(path: string): Promise<Tools> {
  const folders = [...new Set(['/usr/sbin', '/usr/bin', '/sbin', '/bin', ...path.split(delimiter)])].filter((one) =>
    one.startsWith('/'),
  );
  const found = new Map<string, string>();
  await Promise.all(
    names.map(async (name) => {
      const place = await find(name, folders);
      if (place !== undefined) found.set(name, place);
    }),
  );
  return new Tools(found);
}
