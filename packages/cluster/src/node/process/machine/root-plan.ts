import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** One piece of a container's root, in the order in which they are put together. */
export type RootPiece =
  /** What the machine has there, under a layer that takes the writes. */
  | { readonly kind: 'layer'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'file'; readonly path: string };

/** File systems without a machine's programs and data: a container gets its own, or none. */
const pseudo =
  /^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fuse\.[\w.-]+|fusectl|hugetlbfs|mqueue|nsfs|proc|pstore|ramfs|rpc_pipefs|securityfs|squashfs|sysfs|tmpfs|tracefs)$/;

const plainText = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));

/** Where file systems are mounted that a container shall see; the root is among them. */
export function realMounts(mountinfo: string): readonly string[] {
  const found = new Set<string>();
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const place = plainText(before.split(' ')[4] ?? '');
    const type = after.split(' ')[0] ?? '';
    if (!place.startsWith('/') || pseudo.test(type) || /^\/(proc|sys|dev|run)(\/|$)/.test(place)) continue;
    found.add(place);
  }
  return [...found].sort();
}

/** Mounts that cannot be written as an option of `mount`. */
const odd = /[,:\\\n]/;

/** Every mount of the machine is a layer of its own, because a layer ends where another mount begins. */
function wholeLayers(mounts: readonly string[]): RootPiece[] {
  return mounts.filter((path) => !odd.test(path)).map((path) => ({ kind: 'layer', path }));
}

/** Folders that a container has its own of. */
const own = /^\/(proc|sys|dev|run)$/;

/**
 * Without privileges a folder below which something is mounted cannot be a layer (what is mounted might be uncovered): it is made of its
 * entries.
 */
async function split(path: string, mounts: readonly string[]): Promise<RootPiece[]> {
  const below = (folder: string) => mounts.some((mount) => mount.startsWith(folder === '/' ? folder : `${folder}/`));
  const pieces: RootPiece[] = [{ kind: 'folder', path }];
  for (const name of await readdir(path).catch(() => [])) {
    const entry = join(path, name);
    const info = await lstat(entry).catch(() => undefined);
    if (!info || odd.test(entry)) continue;
    if (own.test(entry)) pieces.push({ kind: 'folder', path: entry });
    else if (info.isSymbolicLink()) pieces.push({ kind: 'link', path: entry, target: await readlink(entry) });
    else if (info.isFile()) pieces.push({ kind: 'file', path: entry });
    else if (info.isDirectory())
      pieces.push(...(below(entry) ? await split(entry, mounts) : [{ kind: 'layer' as const, path: entry }]));
  }
  return pieces;
}

/** What a container's root is made of on this machine. */
export async function planRoot(privileged: boolean): Promise<readonly RootPiece[]> {
  const info = await readFile('/proc/self/mountinfo', 'utf8');
  if (privileged) return wholeLayers(realMounts(info));
  const mounts = info.split('\n').map((line) => plainText(line.split(' ')[4] ?? ''));
  const pieces = await split(
    '/',
    mounts.filter((path) => path !== '' && path !== '/'),
  );
  return pieces.filter(({ path }) => path !== '/');
}
