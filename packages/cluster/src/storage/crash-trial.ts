import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Clock, type Logger, type Random, seededRandom, silentLogger, systemClock } from '@coxswain/runtime/core';
import { openStorage } from './open-storage.ts';
import type { StorageOptions } from './options.ts';

export interface CrashTrialOptions {
  /** An empty directory, left as it is after the last round. */
  readonly dir: string;
  /** Acknowledged writes to reach in all. */
  readonly writes: number;
  /** How often the writer is killed on the way; default 3. */
  readonly kills?: number;
  /** Decides the moments and the bursts of writes. */
  readonly seed: number;
  readonly fsync?: StorageOptions['fsync'];
  readonly clock?: Clock;
  readonly log?: Logger;
}

export interface CrashTrialResult {
  /** Writes that the writer had been told are stored before it was killed. */
  readonly acknowledged: number;
  /** Numbers of acknowledged writes that were not there afterwards: must be empty. */
  readonly lost: readonly number[];
  readonly kills: number;
}

/**
 * Kills a process that writes to a data directory (SIGKILL, at random moments), opens the directory again and looks for every
 * write it had acknowledged; then goes on from there.
 */
export async function runCrashTrial(options: CrashTrialOptions): Promise<CrashTrialResult> {
  const { dir, writes, kills = 3, seed, fsync = 'always', clock = systemClock, log = silentLogger } = options;
  const random = seededRandom(seed);
  const acknowledged: number[] = [];
  const lost = new Set<number>();
  let from = 0;
  let rounds = 0;
  while (acknowledged.length < writes) {
    const target = Math.min(writes - acknowledged.length, 1 + Math.floor((random.next() * 2 * writes) / kills));
    const numbers = await writeUntilKilled([dir, fsync, String(from), String(seed + rounds)], target, random);
    for (const number of numbers) acknowledged.push(number);
    rounds++;
    const storage = await openStorage({ dir, fsync, clock, log });
    for (const number of acknowledged) {
      const name = `w-${number}`;
      if (!storage.get({ resource: '/configmaps', namespace: 'crash', name })) lost.add(number);
    }
    await storage.close();
    from = Math.max(from, ...numbers.slice(-1)) + 1000;
  }
  return { acknowledged: acknowledged.length, lost: [...lost], kills: rounds };
}

/** Numbers of the writes acknowledged by one process, which is killed soon after `target` of them. */
async function writeUntilKilled(args: readonly string[], target: number, random: Random): Promise<number[]> {
  const program = fileURLToPath(new URL('./crash-writer.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let errors = '';
  let count = 0;
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
    for (const byte of chunk) if (byte === 0x0a) count++;
    if (count >= target && random.next() < 0.5) child.kill('SIGKILL');
  });
  await once(child, 'close');
  if (child.signalCode !== 'SIGKILL') throw new Error(`the writer ended by itself (exit ${child.exitCode}): ${errors}`);
  // A last line without its end was still being printed.
  return text.split('\n').slice(0, -1).map(Number);
}
