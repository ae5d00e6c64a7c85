import { chmod, mkdir, readdir, rename, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tryAll } from '../../../try-all.ts';
import { RuntimeRefusal } from '../../runtime.ts';
import { Turns } from '../../turns.ts';
import type { Isolation, Machine } from '../machine/machine.ts';
import { quote } from '../machine/quote.ts';
import { removeTree } from '../machine/remove-tree.ts';

/** Below this a file system has no room for a journal. Bytes. */
const journalFrom = 16 * 1024 * 1024;
/** The smallest file system that can be made. Bytes. */
const smallest = 512 * 1024;

/** What the names of files have that the folder of a volume has not. */
const ending = /\.img(\.new)?$/;
/** Where an image is while it is made: one that is there under its own name is complete. */
const draftOf = (image: string) => `${image}.new`;

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
  /** Uids of the pods that use each volume, or are about to. */
  readonly #users = new Map<string, Set<string>>();
  readonly #volumes = new Turns();

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

  /** Makes it ready for a pod, until that releases it, and as large as is said. @returns its folder, as the keeper sees it */
  async use(volume: string, capacity: number, pod: string): Promise<string> {
    const users = this.#users.get(volume) ?? new Set();
    this.#users.set(volume, users.add(pod));
    await this.#volumes.take(volume, () => this.#ready(volume, capacity));
    return this.#path(volume);
  }

  /** Makes a volume in use larger. */
  async grow(volume: string, capacity: number): Promise<void> {
    if (this.#users.has(volume)) await this.#volumes.take(volume, () => this.#ready(volume, capacity));
  }

  /** One user less. To be called again when it fails. */
  async release(volume: string, pod: string): Promise<void> {
    const users = this.#users.get(volume);
    users?.delete(pod);
    if (users?.size === 0) this.#users.delete(volume);
    await this.#volumes.take(volume, async () => {
      // Somebody may have come meanwhile, and waits for its turn.
      if (!this.#users.has(volume)) await this.#machine.isolation?.keeper.unmount(this.#path(volume));
    });
  }

  /** Bytes in use and bytes it holds; `undefined` when it has no size of its own. */
  async usage(volume: string): Promise<{ readonly used: number; readonly capacity: number } | undefined> {
    const { isolation } = this.#machine;
    if (!isolation || (await sizeOf(this.#image(volume))) === undefined) return undefined;
    const { blocks, bfree, bsize } = await statfs(isolation.keeper.seen(this.#path(volume)));
    return { used: (blocks - bfree) * bsize, capacity: blocks * bsize };
  }

  /**
   * Removes the data of volumes that nobody uses and that are gone. @param exists asked of each when nothing else is done to it, so that
   * one that is made meanwhile, even with the name of another, keeps what is its own
   */
  async sweep(exists: (volume: string) => Promise<boolean>): Promise<void> {
    const there = await readdir(this.#folder).catch(() => []);
    const names = new Set(there.map((one) => decodeURIComponent(one.replace(ending, ''))));
    const remove = async (volume: string) => {
      if (this.#users.has(volume) || (await exists(volume))) return;
      await this.#machine.isolation?.keeper.unmount(this.#path(volume));
      for (const file of [draftOf(this.#image(volume)), this.#image(volume)]) await rm(file, { force: true });
      await removeTree(this.#path(volume));
    };
    await tryAll([...names].map((volume) => () => this.#volumes.take(volume, () => remove(volume))));
  }

  #path(volume: string): string {
    const name = encodeURIComponent(volume).replace(ending, (found) => found.replace('.', '%2E'));
    return join(this.#folder, name);
  }

  #image(volume: string): string {
    return `${this.#path(volume)}.img`;
  }

  async #ready(volume: string, capacity: number): Promise<void> {
    const path = this.#path(volume);
    const image = this.#image(volume);
    const enforcing = this.#enforcing;
    let size = await sizeOf(image);
    const known = size !== undefined || (await sizeOf(path)) !== undefined;
    if (!known && enforcing) {
      size = Math.max(capacity, smallest);
      await this.#make(image, size);
    }
    await mkdir(path, { recursive: true });
    if (!known && size === undefined) await chmod(path, 0o777);
    if (size === undefined) return;
    if (!enforcing)
      throw new Error(`the volume ${volume} is in a file system, which cannot be mounted here: ${this.#machine.lacks}`);
    const { tools } = this.#machine;
    const use = (name: Parameters<typeof tools.path>[0]) => quote(tools.path(name));
    const grows = capacity > size;
    if (await enforcing.keeper.isMounted(path)) {
      if (grows) await this.#growInUse(enforcing, image, { from: size, to: capacity });
      return;
    }
    if (grows) await this.#growAtRest(image, capacity);
    // A new file system has the one folder, and is its maker's; perhaps it was made at an earlier try.
    await enforcing.keeper.run(`${use('mount')} -o loop,discard ${quote(image)} ${quote(path)}
cd ${quote(path)}
if ${use('rmdir')} lost+found 2> /dev/null; then ${use('chmod')} 777 .; fi`);
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
    const draft = draftOf(image);
    await mkdir(this.#folder, { recursive: true });
    await writeFile(draft, '', { mode: 0o600 });
    await truncate(draft, size);
    const journal = size < journalFrom ? ['-O', '^has_journal'] : [];
    const options = ['-q', '-F', '-m', '0', ...journal, '-E', 'lazy_itable_init=1,lazy_journal_init=1,nodiscard'];
    await this.#machine.run('mkfs.ext4', ...options, draft);
    await rename(draft, image);
  }
}
