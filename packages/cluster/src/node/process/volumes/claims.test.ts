import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestRun, type TestRuntime, testRuntime } from '../test-pod.ts';

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
  await runtime.runtime.keepOnly(new Set(), new Set(['pvc-1']));
  expect((await readdir(join(dataDir, 'volumes'))).sort()).toEqual(['pvc-1', 'pvc-1.img']);
  await runtime.runtime.keepOnly(new Set(), new Set());
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
  await all.runtime.keepOnly(new Set(), new Set());
  expect((await reader.sh('cat /data/a')).out).toBe('hello\n');
  await other.sandbox.remove();
  expect(await readdir(join(all.dataDir, 'volumes'))).not.toContain('shared');
});
