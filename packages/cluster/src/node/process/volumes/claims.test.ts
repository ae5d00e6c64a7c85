import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childrenOf } from '../container/process-tree.ts';
import { living, type TestRun, type TestRuntime, testRuntime } from '../test-pod.ts';

const mega = 1024 * 1024;
/** Others have volumes without a size that is enforced. */
const root = process.getuid?.() === 0;
let all: TestRuntime;

beforeAll(async () => {
  all = await testRuntime();
});
afterAll(() => all[Symbol.asyncDispose]());

async function podWith(runtime: TestRuntime, volume: string, capacity: number) {
  const container = { command: ['sleep', '1000'], volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const pod = await runtime.pod([container], { securityContext: { runAsUser: 1234, fsGroup: 777 } });
  const setSize = (size: number) =>
    pod.sandbox.setVolume('data', { kind: 'claim', volume, capacity: size, readOnly: false });
  await setSize(capacity);
  return { ...pod, setSize };
}

const fill = ({ sh }: TestRun, size: number) => sh(`dd if=/dev/zero of=/data/full bs=${mega} count=${size / mega}`);

test.runIf(root)('a volume is full when its capacity is used, and not any more when the claim has grown', async () => {
  const { run, setSize, sandbox } = await podWith(all, 'small', 8 * mega);
  const container = await run();
  expect((await fill(container, 20 * mega)).err).toContain('No space left on device');
  const full = (await sandbox.volumeUsage?.())?.get('data');
  expect(full?.used).toBeGreaterThan(6 * mega);
  expect(full?.limit).toBe(8 * mega);
  // Where this machine lets nobody enlarge what is in use, the next pod finds it larger.
  const refusal: unknown = await setSize(40 * mega).catch((error: unknown) => error);
  if (refusal) expect(refusal).toMatchObject({ reason: 'VolumeResizeFailed' });
  const roomy = refusal ? await podAfter() : container;
  expect(await fill(roomy, 20 * mega)).toMatchObject({ code: 0 });

  async function podAfter() {
    await sandbox.remove();
    return (await podWith(all, 'small', 40 * mega)).run();
  }
});

test.runIf(root)('a volume outlives its pods and its cluster, with its owner; one that nobody knows goes', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'coxswain-claims-'));
  for (const round of [1, 2]) {
    await using runtime = await testRuntime({ dataDir, keep: true });
    const { run } = await podWith(runtime, 'pvc-1', 16 * mega);
    const { sh } = await run();
    const { out } = await sh('cat /data/kept; echo kept > /data/kept; id -u; stat -c %g /data/kept; ls /data');
    expect(out).toBe(`${round === 1 ? '' : 'kept\n'}1234\n777\nkept\n`);
  }
  await using runtime = await testRuntime({ dataDir });
  await runtime.runtime.sweep(living('pvc-1'));
  expect((await readdir(join(dataDir, 'volumes'))).sort()).toEqual(['pvc-1', 'pvc-1.img']);
  await runtime.runtime.sweep(living());
  expect(await readdir(join(dataDir, 'volumes'))).toEqual([]);
  await rm(dataDir, { recursive: true, force: true });
});

test.runIf(root)('a pod may follow at once on the one that had the volume', async () => {
  const first = await podWith(all, 'next', 8 * mega);
  await (await first.run()).sh('echo first > /data/a');
  const [, second] = await Promise.all([first.sandbox.remove(), podWith(all, 'next', 8 * mega)]);
  expect((await (await second.run()).sh('cat /data/a; df -P /data | tail -1 | cut -d" " -f1')).out).toMatch(
    /^first\n\/dev\/loop/,
  );
  await second.sandbox.remove();
});

test.runIf(root)('several pods may use a volume at a time; it stays until the last has gone', async () => {
  const [one, other] = await Promise.all([podWith(all, 'shared', 8 * mega), podWith(all, 'shared', 8 * mega)]);
  const [writer, reader] = [await one.run(), await other.run()];
  await writer.sh('echo hello > /data/a');
  await one.sandbox.remove();
  expect((await reader.sh('cat /data/a')).out).toBe('hello\n');
  await all.runtime.sweep(living());
  expect((await reader.sh('cat /data/a')).out).toBe('hello\n');
  await other.sandbox.remove();
  await all.runtime.sweep(living());
  expect(await readdir(join(all.dataDir, 'volumes'))).not.toContain('shared');
});

const namesOf = (runtime: TestRuntime) => readdir(join(runtime.dataDir, 'volumes'));

test('a sweep takes no volume that came after its beginning, and none keeps another from its end', async () => {
  await using runtime = await testRuntime();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<ReadonlySet<string>>();
  const early = runtime.runtime.sweep({
    ...living('made-later'),
    pods: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  await asked.promise;
  const [going, staying] = [await podWith(runtime, 'going', mega), await podWith(runtime, 'made-later', mega)];
  const late = runtime.runtime.sweep(living('made-later'));
  answer.resolve(new Set());
  await Promise.all([early, late]);
  for (const { sandbox } of [going, staying]) await sandbox.remove();
  await runtime.runtime.sweep(living('made-later'));
  expect(new Set((await namesOf(runtime)).map((name) => name.replace('.img', '')))).toEqual(new Set(['made-later']));
});

test('a volume that is made again while it is removed keeps nothing of the one before, and is kept', async () => {
  await using runtime = await testRuntime();
  const first = await podWith(runtime, 'again', mega);
  await (await first.run()).sh('echo old > /data/old');
  await first.sandbox.remove();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<boolean>();
  const sweep = runtime.runtime.sweep({
    ...living(),
    hasVolume: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  await asked.promise;
  const next = podWith(runtime, 'again', mega);
  answer.resolve(false);
  await sweep;
  const container = await (await next).run();
  await container.sh('echo new > /data/new');
  await runtime.runtime.sweep(living('again'));
  expect((await container.sh('ls /data')).out).toBe('new\n');
});

test('a name that ends like the file of another volume is a name like others', async () => {
  await using runtime = await testRuntime();
  for (const name of ['a', 'a.img', 'a.img.new']) {
    const { run, sandbox } = await podWith(runtime, name, mega);
    await (await run()).sh(`echo ${name} > /data/name`);
    await sandbox.remove();
  }
  await runtime.runtime.sweep(living('a.img'));
  const { run } = await podWith(runtime, 'a.img', mega);
  expect((await (await run()).sh('cat /data/name')).out).toBe('a.img\n');
  expect((await namesOf(runtime)).every((name) => name.startsWith('a%2Eimg'))).toBe(true);
});

test.runIf(root)('what could not be taken off is when it is asked for again: nothing is left', async () => {
  await using runtime = await testRuntime();
  const { sandbox } = await podWith(runtime, 'busy', 4 * mega);
  await sandbox.setVolume('memory', { kind: 'empty', memory: true });
  const keeper = childrenOf(process.pid).at(-1) ?? 0;
  const places = [join(runtime.dataDir, 'volumes', 'busy'), await memoryOf(runtime)];
  const holders = places.map((place) => holderOf(keeper, place));
  await Promise.all(holders.map((holder) => once(holder.stdout, 'data')));
  await expect(sandbox.remove()).rejects.toThrow('busy');
  await expect(sandbox.remove()).rejects.toThrow('busy');
  for (const holder of holders) holder.stdin.end();
  await Promise.all(holders.map((holder) => once(holder, 'exit')));
  await sandbox.remove();
  await runtime.runtime.sweep(living());
  expect(await namesOf(runtime)).toEqual([]);
  expect(await readdir(join(runtime.dataDir, 'pods'))).toEqual([]);
  expect(await readFile(`/proc/${keeper}/mountinfo`, 'utf8')).not.toMatch(/busy|volumes\/memory/);
});

/** Where the keeper has the volume `memory` of the one pod. */
async function memoryOf({ dataDir }: TestRuntime): Promise<string> {
  const [pod = ''] = await readdir(join(dataDir, 'pods'));
  return join(dataDir, 'pods', pod, 'volumes', 'memory');
}

/** A process that works in a folder as the keeper sees it, until its input ends. */
const holderOf = (keeper: number, place: string) =>
  spawn('nsenter', ['--target', String(keeper), '--mount', 'sh', '-c', `cd ${place} && echo there && cat`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
