import { expect, test } from 'vitest';
import { LogSet, RestoreJob } from '../api/index.ts';
import { BackupWorld, type BackupWorldOptions, done, ended, running, runs, s3 } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };

/** Takes one backup; answers how it ended, and how many writes it took. */
async function backUp(options: BackupWorldOptions): Promise<number> {
  await using world = await BackupWorld.start(options);
  await world.servingCluster();
  await world.createJob('bk', { ttl: '1m' });
  const over = await world.ended('bk');
  expect([ended(over)[0], runs(world), (await world.backups()).length]).toEqual(['Completed', [1], 1]);
  await world.gone(() => world.job('bk'), 300);
  expect([runs(world), (await world.backups()).length]).toEqual([[1], 1]);
  return world.writes;
}

/** Starts a cluster from a backup, up to its log service; answers how many writes that took. */
async function restore(options: BackupWorldOptions): Promise<number> {
  await using world = await BackupWorld.start(options);
  await world.createBackup();
  await world.createCluster({ restoreFrom: 'b' });
  await world.until(
    () => world.client.of(LogSet).find(key),
    ({ spec }) => spec.initialConfig?.restoreFrom === 'hk_data',
  );
  const cluster = await world.until(world.cluster, ({ status }) => status?.restore?.phase === 'Completed');
  expect([runs(world), world.released.size, world.tooEarly]).toEqual([[1], 1, []]);
  expect(cluster.metadata.annotations?.['matrixorigin.io/restore-complete']).toBe('True');
  return world.writesToLogSet ?? 0;
}

/** Of 15 and 25 writes one in so many is tried here; 1 tries them all. */
const stride = 3;

const lives = [
  ['a backup is taken', backUp],
  ['a backup is restored', restore],
] as const;

test.each(lives)('wherever an operator dies, %s once', { timeout: 600_000 }, async (_, live) => {
  const writes = await live({});
  expect(writes).toBeGreaterThan(8);
  for (let write = 1; write <= writes; write += stride) {
    const when = write % 2 === 0 ? 'before' : 'after';
    await live({ cut: { write, when } });
  }
});

test.each(lives)('by two operators that act at once %s once', async (_, live) => {
  await live({ operators: 2 });
});

test.each(lives)('over a network that loses requests and answers, %s once', { timeout: 240_000 }, async (_, live) => {
  for (let faults = 1; faults <= 3; faults++) await live({ faults, operators: 1 + (faults % 2) });
});

/** Milliseconds until the program is done: one or the other operator is the first to ask then. */
test.each([60_000, 68_000])(
  'an operator that hears late of a restore that is done does not take it for lost (%i)',
  async (wait) => {
    await using world = await BackupWorld.start({ operators: 2, late: 20_000 });
    world.report = running;
    await world.createBackup();
    const restored = { namespace: 'default', name: 'rs' };
    const spec = { backupName: 'b', target: { s3 } };
    await world.drive(world.client.of(RestoreJob).create({ metadata: restored, spec }));
    const find = () => world.client.of(RestoreJob).find(restored);
    await world.letRun(restored);
    await world.clock.advance(wait);
    world.report = done();
    await world.until(find, ({ status }) => status?.phase === 'Completed');
    await world.clock.advance(120_000);
    expect([(await world.drive(find()))?.status?.phase, runs(world)]).toEqual(['Completed', [1]]);
  },
);
