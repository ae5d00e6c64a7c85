import { writeSync } from 'node:fs';
import { seededRandom, silentLogger, systemClock } from '@coxswain/runtime/core';
import { openStorage } from './open-storage.ts';
import type { StorageOptions } from './options.ts';

/**
 * Program of {@link runCrashTrial}: writes objects `w-FROM`, `w-FROM+1` … in bursts, and prints the number of each one once it is
 * acknowledged, until it is killed. Arguments: directory, fsync policy, first number, seed.
 */
async function main([dir = '', fsync = 'always', from = '0', seed = '1']: readonly string[]): Promise<void> {
  const random = seededRandom(Number(seed));
  const storage = await openStorage({
    dir,
    fsync: fsync as StorageOptions['fsync'],
    clock: systemClock,
    log: silentLogger,
    snapshotBytes: 64 * 1024,
  });
  const filler = 'x'.repeat(200);
  for (let next = Number(from); ; ) {
    const burst = 1 + Math.floor(random.next() * 40);
    const acknowledged: Promise<void>[] = [];
    for (let i = 0; i < burst; i++) {
      const number = next++;
      const name = `w-${number}`;
      storage.put({ resource: '/configmaps', namespace: 'crash', name }, {
        metadata: { name, namespace: 'crash' },
        data: { number: String(number), filler },
      } as never);
      // Straight into the pipe: what the parent reads was acknowledged, whatever happens to this process next.
      acknowledged.push(storage.flushed().then(() => void writeSync(1, `${number}\n`)));
      if (random.next() < 0.2) await Promise.resolve();
    }
    await Promise.all(acknowledged);
  }
}

await main(process.argv.slice(2));
