import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from '@coxswain/runtime/core';
import { codeOf, DataDirError, messageOf } from './errors.ts';
import { makeDirectory } from './make-directory.ts';

interface Owner {
  readonly pid: number;
  /** Ticks since boot and the boot they count from, where the system tells: they tell apart two processes with one pid. */
  readonly started?: string;
  /** Of the directory: a copy of one, taken while a process had it, is nobody's. */
  readonly inode?: number;
}

export interface DirLock {
  release(): void;
}

/**
 * Takes a directory for this process, making it when missing. The lock of a process that is gone is taken over.
 * @throws DataDirError when a living process has it, or it cannot be written
 */
export function lockDirectory(dir: string, log: Logger): DirLock {
  const path = join(dir, 'lock');
  try {
    makeDirectory(dir);
    if (!claim(path)) takeOver(dir, path, log);
  } catch (error) {
    throw error instanceof DataDirError ? error : unusable(dir, error);
  }
  return { release: () => rmSync(path, { force: true }) };
}

/** Creates the lock file; false when there is one. */
function claim(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(fd, `${JSON.stringify(ownerNow(dirname(path)))}\n`);
  } finally {
    closeSync(fd);
  }
  return true;
}

/** Replaces a dead process's lock. A second file lets only one process do so at a time. */
function takeOver(dir: string, path: string, log: Logger): void {
  refuseLiving(dir, path);
  const guard = `${path}.takeover`;
  if (!claim(guard)) {
    refuseLiving(dir, guard);
    rmSync(guard, { force: true });
    if (!claim(guard)) throw inUse(dir, undefined);
  }
  try {
    const owner = refuseLiving(dir, path);
    rmSync(path, { force: true });
    if (!claim(path)) throw inUse(dir, readOwner(path));
    log.warn({ dir, pid: owner?.pid }, 'the last process with this data directory did not close it; it is taken over');
  } finally {
    rmSync(guard, { force: true });
  }
}

function refuseLiving(dir: string, path: string): Owner | undefined {
  const owner = readOwner(path);
  const copied = owner?.inode !== undefined && owner.inode !== statSync(dir).ino;
  if (owner && !copied && isAlive(owner)) throw inUse(dir, owner);
  return owner;
}

/** `undefined` when the file is gone or was never finished: its process died in between. */
function readOwner(path: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Owner;
    return Number.isInteger(owner?.pid) && owner.pid > 0 ? owner : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, as another user's.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const now = processOf(owner.pid);
  if (now?.ended) return false;
  return owner.started === undefined || now === undefined || owner.started === now.started;
}

function ownerNow(dir: string): Owner {
  const started = processOf(process.pid)?.started;
  return { pid: process.pid, ...(started ? { started } : {}), inode: statSync(dir).ino };
}

interface ProcessState {
  readonly started: string;
  /** It is dead, and only waits to be looked at by its parent. */
  readonly ended: boolean;
}

/** What /proc says of a process; `undefined` where there is none. */
function processOf(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; the state follows it, and 19 fields later the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { started: `${boot}/${fields[19]}`, ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

function inUse(dir: string, owner: Owner | undefined): DataDirError {
  const who =
    owner?.pid === process.pid ? 'this process' : owner ? `process ${owner.pid}` : 'another process that is starting';
  return new DataDirError(dir, `data directory ${dir} is in use by ${who}: stop it first, or choose another directory`);
}

function unusable(dir: string, error: unknown): DataDirError {
  const why = messageOf(error);
  return new DataDirError(
    dir,
    `data directory ${dir} cannot be written (${why}): check its owner and permissions, or choose another directory`,
    {
      cause: error,
    },
  );
}
