import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tryAll } from '../../../try-all.ts';
import { RuntimeRefusal, type VolumeContent, type VolumeUsage } from '../../runtime.ts';
import type { Machine } from '../machine/machine.ts';
import { quote } from '../machine/quote.ts';
import { writeAtomically } from './atomic-files.ts';
import type { Claims } from './claims.ts';
import { hostPath } from './host-path.ts';

/** A volume of a pod, ready to be mounted. */
export interface ReadyVolume {
  /** Its folder (or, of the machine's own, its file), as the keeper sees it. */
  readonly source: string;
  readonly readOnly: boolean;
  readonly content: VolumeContent;
}

export interface PodVolumesOptions {
  /** Uid of the pod. */
  readonly pod: string;
  readonly machine: Machine;
  readonly claims: Claims;
  /** For this pod alone. */
  readonly folder: string;
  /** As the pod's security context says it. */
  readonly fsGroup: number | undefined;
  /** A name not used before. */
  readonly stamp: () => string;
}

async function bytesBelow(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += await bytesBelow(path);
    else
      sum += await stat(path)
        .then(({ blocks }) => blocks * 512)
        .catch(() => 0);
  }
  return sum;
}

/** The volumes of one pod on the disk. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #ready = new Map<string, ReadyVolume>();
  /** What is, or may be, mounted for this pod. */
  readonly #mounts = new Set<string>();
  readonly #claimed = new Set<string>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  get(name: string): ReadyVolume | undefined {
    return this.#ready.get(name);
  }

  /** @throws RuntimeRefusal with `FailedMount` */
  async set(name: string, content: VolumeContent): Promise<void> {
    const before = this.#ready.get(name);
    try {
      const source = await this.#source(name, content, before);
      const readOnly = content.kind === 'claim' && content.readOnly;
      this.#ready.set(name, { source, readOnly, content });
    } catch (error) {
      if (error instanceof RuntimeRefusal) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new RuntimeRefusal('FailedMount', `MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${why}`);
    }
  }

  async #source(name: string, content: VolumeContent, before: ReadyVolume | undefined): Promise<string> {
    const { folder, claims, stamp, fsGroup, pod } = this.#options;
    const path = join(folder, encodeURIComponent(name));
    switch (content.kind) {
      case 'files':
        await writeAtomically(path, content.files, stamp(), fsGroup);
        return path;
      case 'empty':
        return before?.source ?? this.#empty(path, content);
      case 'host':
        return before?.source ?? hostPath(name, content.path, content.type);
      case 'claim': {
        if (before) {
          await claims.grow(content.volume, content.capacity);
          return before.source;
        }
        this.#claimed.add(content.volume);
        const source = await claims.use(content.volume, content.capacity, pod);
        if (!content.readOnly) await this.#giveToGroup(source);
        return source;
      }
      case 'unsupported':
        throw new RuntimeRefusal(
          'FailedMount',
          `MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${content.message}`,
        );
    }
  }

  async #empty(path: string, { memory, sizeLimit }: VolumeContent & { kind: 'empty' }): Promise<string> {
    const { machine } = this.#options;
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
    if (memory && machine.isolation && !(await machine.isolation.keeper.isMounted(path))) {
      this.#mounts.add(path);
      const size = sizeLimit === undefined ? '' : `,size=${sizeLimit}`;
      const mount = quote(machine.tools.path('mount'));
      await machine.isolation.keeper.run(`${mount} -t tmpfs -o mode=777${size} coxswain ${quote(path)}`);
    }
    await this.#giveToGroup(path);
    return path;
  }

  /** The group of `fsGroup` may do what the owner may, also with what is made later. */
  async #giveToGroup(path: string): Promise<void> {
    const { machine, fsGroup } = this.#options;
    if (fsGroup === undefined || process.getuid?.() !== 0) return;
    const { isolation, tools } = machine;
    if (!isolation) {
      await chown(path, -1, fsGroup);
      return chmod(path, 0o2775);
    }
    const [group, mode] = [quote(tools.path('chown')), quote(tools.path('chmod'))];
    await isolation.keeper.run(
      `${group} -R :${fsGroup} ${quote(path)}\n${mode} -R g+rwX ${quote(path)}\n${mode} g+s ${quote(path)}`,
    );
  }

  /** Bytes that volumes without a file system of their own take: those with a limit, by name. */
  async usage(): Promise<ReadonlyMap<string, VolumeUsage>> {
    const found = new Map<string, VolumeUsage>();
    for (const [name, { source, content }] of this.#ready) {
      const limit =
        content.kind === 'empty' ? content.sizeLimit : content.kind === 'claim' ? content.capacity : undefined;
      if (limit === undefined) continue;
      const own = content.kind === 'claim' ? await this.#options.claims.usage(content.volume) : undefined;
      const { isolation } = this.#options.machine;
      found.set(name, { used: own?.used ?? (await bytesBelow(isolation?.keeper.seen(source) ?? source)), limit });
    }
    return found;
  }

  /** Takes off what was mounted for this pod; what could not be is there for the next call. Its folder is the caller's to remove. */
  async remove(): Promise<void> {
    const { machine, claims, pod } = this.#options;
    this.#ready.clear();
    const releases = [...this.#claimed].map((volume) => async () => {
      await claims.release(volume, pod);
      this.#claimed.delete(volume);
    });
    const unmounts = [...this.#mounts].map((path) => async () => {
      await machine.isolation?.keeper.unmount(path);
      this.#mounts.delete(path);
    });
    await tryAll([...releases, ...unmounts]);
  }
}
