import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, sleep } from '@coxswain/runtime/core';
import { ownerLives, ownerName } from './owner.ts';

/** How the two versions of the kernel's control groups name the same things. */
interface Dialect {
  readonly base: string;
  readonly limit: string;
  readonly usage: string;
  readonly events: string;
}

const first: Dialect = {
  base: '/sys/fs/cgroup/memory',
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  events: 'memory.oom_control',
};
const second: Dialect = {
  base: '/sys/fs/cgroup',
  limit: 'memory.max',
  usage: 'memory.current',
  events: 'memory.events',
};

/** Tries to remove a group whose processes have ended: two seconds in all. */
const patience = 19;

/** The limit of one container. */
export class MemoryGroup {
  readonly #folder: string;
  readonly #dialect: Dialect;

  constructor(folder: string, dialect: Dialect) {
    this.#folder = folder;
    this.#dialect = dialect;
  }

  /** A process and all it starts from now on. */
  add(pid: number): void {
    writeFileSync(join(this.#folder, 'cgroup.procs'), String(pid));
  }

  /** Whether the kernel has ended a process of it for want of memory. */
  get killed(): boolean {
    return /^oom_kill [1-9]/m.test(readFileSync(join(this.#folder, this.#dialect.events), 'utf8'));
  }

  /** Bytes in use. */
  get usage(): number {
    return Number(readFileSync(join(this.#folder, this.#dialect.usage), 'utf8'));
  }

  /** When its last process has ended. @throws Error when it is in use all the same */
  async remove(clock: Clock): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await rmdir(this.#folder);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') return;
        // The kernel lets a process go a moment after it has told that it ended.
        if (code !== 'EBUSY' || attempt === patience) throw error;
        await sleep(clock, 10 * attempt);
      }
    }
  }
}

const prefix = 'coxswain-';

/** Limits of memory by the kernel's control groups, where this process may make some. */
export class MemoryGroups {
  readonly #folder: string;
  readonly #dialect: Dialect;

  private constructor(folder: string, dialect: Dialect) {
    this.#folder = folder;
    this.#dialect = dialect;
  }

  /** `undefined` where the machine does not allow it. Groups of processes that are gone go, too. */
  static async open(clock: Clock, log: Logger): Promise<MemoryGroups | undefined> {
    const dialect = existsSync(join(first.base, first.limit)) ? first : second;
    const name = ownerName(process.pid);
    if (name === undefined) return undefined;
    try {
      await sweep(dialect, clock);
      // Several clusters of one process share its group.
      const folder = join(dialect.base, prefix + name);
      await mkdir(folder, { recursive: true });
      if (dialect === second) await writeFile(join(folder, 'cgroup.subtree_control'), '+memory');
      return new MemoryGroups(folder, dialect);
    } catch (error) {
      log.debug(
        { why: error instanceof Error ? error.message : String(error) },
        'memory is not limited on this machine',
      );
      return undefined;
    }
  }

  /** @param bytes the most its processes may use together */
  async create(id: string, bytes: number): Promise<MemoryGroup> {
    const folder = join(this.#folder, id);
    await mkdir(folder);
    await writeFile(join(folder, this.#dialect.limit), String(bytes));
    return new MemoryGroup(folder, this.#dialect);
  }

  async close(): Promise<void> {
    await rmdir(this.#folder).catch(() => {});
  }
}

/** Ends what is left in groups whose owner is gone, and removes them. */
async function sweep(dialect: Dialect, clock: Clock): Promise<void> {
  for (const name of await readdir(dialect.base)) {
    if (!name.startsWith(prefix) || ownerLives(name.slice(prefix.length))) continue;
    const folder = join(dialect.base, name);
    for (const inner of await readdir(folder, { withFileTypes: true })) {
      if (!inner.isDirectory()) continue;
      const processes = await readFile(join(folder, inner.name, 'cgroup.procs'), 'utf8').catch(() => '');
      for (const one of processes.split('\n').filter(Boolean)) {
        try {
          process.kill(Number(one), 'SIGKILL');
        } catch {
          // ended by itself
        }
      }
      // What cannot be removed now is by the next cluster, and keeps this one from no limits of its own.
      await new MemoryGroup(join(folder, inner.name), dialect).remove(clock).catch(() => {});
    }
    await rmdir(folder).catch(() => {});
  }
}
