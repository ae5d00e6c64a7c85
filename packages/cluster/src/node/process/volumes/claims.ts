import { chmod, mkdir, readdir, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RuntimeRefusal } from '../../runtime.ts';
import type { Isolation, Machine } from '../machine/machine.ts';
import { quote } from '../machine/quote.ts';
import { removeTree } from '../machine/remove-tree.ts';

interface Mounted {
  users: number;
  /** Whether a file system is mounted, which is to be taken off. */
  mounted: boolean;
  /** Whether its data is to go with the last user. */
  unwanted: boolean;
  /** Work on it, one after the other. */
  last: Promise<void>;
}

/** Below this a file system has no room for a journal. Bytes. */
const journalFrom = 16 * 1024 * 1024;
/** The smallest file system that can be made. Bytes. */
const smallest = 512 * 1024;

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

/**
 * The data of persistent volumes. Where the machine allows it each is a file system of its capacity in a sparse file, so that a full one
 * is full; elsewhere, and for volumes that began elsewhere, a folder whose size nothing holds down.
 */
export class Claims {
  readonly #machine: Machine;
  readonly #folder: string;
  readonly #mounted = new Map<string, Mounted>();

  constructor(machine: Machine, folder: string) {
    this.#machine = machine;
    this.#folder = folder;
  }

  /** Whether a volume that is made now has a size that is enforced. */
  get #enforcing(): Isolation | undefined {
    const { isolation, tools } = this.#machine;
    const able = isolation?.keeper.privileged && tools.has('mkfs.ext4', 'resize2fs', 'e2fsck', 'losetup');
    return able ? isolation : undefined;
  }

  /** Makes it ready for one more user, and as large as is said. @returns its folder, as the keeper sees it */
  async use(volume: string, capacity: number): Promise<string> {
    const entry = this.#mounted.get(volume) ?? { users: 0, mounted: false, unwanted: false, last: Promise.resolve() };
    this.#mounted.set(volume, entry);
    entry.users++;
    entry.unwanted = false;
    try {
      await this.#after(entry, () => this.#ready(volume, capacity, entry));
    } catch (error) {
      await this.release(volume);
      throw error;
    }
    return this.#path(volume);
  }

  /** Makes a volume in use larger. */
  async grow(volume: string, capacity: number): Promise<void> {
    const entry = this.#mounted.get(volume);
    if (entry) await this.#after(entry, () => this.#ready(volume, capacity, entry));
  }

  /** One user less. */
  async release(volume: string): Promise<void> {
    const entry = this.#mounted.get(volume);
    if (!entry) return;
    entry.users--;
    await this.#after(entry, async () => {
      if (entry.users > 0 || this.#mounted.get(volume) !== entry) return;
      const { isolation, tools } = this.#machine;
      if (isolation && entry.mounted)
        await isolation.keeper.run(`${quote(tools.path('umount'))} ${quote(this.#path(volume))}`);
      entry.mounted = false;
      // Somebody may have come meanwhile, and waits for its turn.
      if (this.#usersOf(volume) > 0) return;
      this.#mounted.delete(volume);
      if (entry.unwanted) await this.#remove(volume);
    });
  }

  /** Bytes in use and bytes it holds; `undefined` when it has no size of its own. */
  async usage(volume: string): Promise<{ readonly used: number; readonly capacity: number } | undefined> {
    const { isolation } = this.#machine;
    if (!isolation || (await sizeOf(this.#image(volume))) === undefined) return undefined;
    const { blocks, bfree, bsize } = await statfs(isolation.keeper.seen(this.#path(volume)));
    return { used: (blocks - bfree) * bsize, capacity: blocks * bsize };
  }

  /** Removes the data of all volumes that are not among these: of one in use when its last user has gone. */
  async keepOnly(volumes: ReadonlySet<string>): Promise<void> {
    const there = await readdir(this.#folder).catch(() => []);
    for (const name of new Set(there.map((one) => decodeURIComponent(one.replace(/\.img$/, ''))))) {
      const entry = this.#mounted.get(name);
      if (entry) entry.unwanted = !volumes.has(name);
      else if (!volumes.has(name)) await this.#remove(name);
    }
  }

  async #remove(volume: string): Promise<void> {
    await rm(this.#image(volume), { force: true });
    await removeTree(this.#path(volume));
  }

  #usersOf(volume: string): number {
    return this.#mounted.get(volume)?.users ?? 0;
  }

  #path(volume: string): string {
    return join(this.#folder, encodeURIComponent(volume));
  }

  #image(volume: string): string {
    return `${this.#path(volume)}.img`;
  }

  /** Runs work on a volume when what is going on with it has ended. */
  #after(entry: Mounted, work: () => Promise<void>): Promise<void> {
    const mine = entry.last.then(work);
    entry.last = mine.catch(() => {});
    return mine;
  }

  async #ready(volume: string, capacity: number, entry: Mounted): Promise<void> {
    const path = this.#path(volume);
    const image = this.#image(volume);
    const enforcing = this.#enforcing;
    let size = await sizeOf(image);
    const known = size !== undefined || (await sizeOf(path)) !== undefined;
    await mkdir(path, { recursive: true });
    if (!known && enforcing) {
      size = Math.max(capacity, smallest);
      await this.#make(image, size);
    } else if (!known) await chmod(path, 0o777);
    if (size === undefined) return;
    if (!enforcing)
      throw new Error(`the volume ${volume} is in a file system, which cannot be mounted here: ${this.#machine.lacks}`);
    const { tools } = this.#machine;
    const use = (name: Parameters<typeof tools.path>[0]) => quote(tools.path(name));
    const first = !entry.mounted;
    const lines: string[] = [];
    if (first) lines.push(`${use('mount')} -o loop,discard ${quote(image)} ${quote(path)}`);
    if (first && !known) lines.push(`cd ${quote(path)}`, `${use('rmdir')} lost+found`, `${use('chmod')} 777 .`);
    if (first && capacity > size) await this.#growAtRest(image, capacity);
    if (lines.length > 0) await enforcing.keeper.run(lines.join('\n'));
    entry.mounted = true;
    if (!first && capacity > size) await this.#growInUse(enforcing, image, { from: size, to: capacity });
  }

  async #growAtRest(image: string, capacity: number): Promise<void> {
    await truncate(image, capacity);
    const { tools } = this.#machine;
    // It ends with 1 when it has mended something.
    const script = '"$1" -f -p "$3" || [ $? = 1 ]; "$2" "$3"';
    const places = [tools.path('e2fsck'), tools.path('resize2fs'), image];
    await this.#machine.run('sh', '-ec', script, 'sh', ...places);
  }

  /** Not every root may: it takes CAP_SYS_RESOURCE. Then it keeps its size until no pod uses it. */
  async #growInUse(
    { keeper }: Isolation,
    image: string,
    { from, to }: Readonly<Record<'from' | 'to', number>>,
  ): Promise<void> {
    const { tools } = this.#machine;
    const losetup = quote(tools.path('losetup'));
    const device = `device=$(${losetup} -nO NAME -j ${quote(image)})\n${losetup} -c $device`;
    await truncate(image, to);
    try {
      await keeper.run(`${device}\n${quote(tools.path('resize2fs'))} $device >&2`);
    } catch (error) {
      await truncate(image, from);
      await keeper.run(device);
      const why = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
      throw new RuntimeRefusal(
        'VolumeResizeFailed',
        `the volume cannot grow while it is in use, and will when the next pod begins with it: ${why}`,
      );
    }
  }

  async #make(image: string, size: number): Promise<void> {
    await writeFile(image, '', { mode: 0o600 });
    try {
      await truncate(image, size);
      const journal = size < journalFrom ? ['-O', '^has_journal'] : [];
      const options = ['-q', '-F', '-m', '0', ...journal, '-E', 'lazy_itable_init=1,lazy_journal_init=1,nodiscard'];
      await this.#machine.run('mkfs.ext4', ...options, image);
    } catch (error) {
      await rm(image, { force: true });
      throw error;
    }
  }
}
