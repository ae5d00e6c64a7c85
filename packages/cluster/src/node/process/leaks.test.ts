import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childrenOf } from './container/process-tree.ts';
import { type TestRuntime, testRuntime } from './test-pod.ts';

let all: TestRuntime;

beforeAll(async () => {
  all = await testRuntime();
});
afterAll(() => all[Symbol.asyncDispose]());

async function round(): Promise<void> {
  const mounts = ['scratch', 'memory', 'claim'].map((name) => ({ name, mountPath: `/${name}` }));
  const { sandbox, run } = await all.pod([
    { command: ['sh', '-c', 'sleep 1000 & cat'], stdin: true, volumeMounts: mounts },
  ]);
  await sandbox.setVolume('scratch', { kind: 'empty', memory: false });
  await sandbox.setVolume('memory', { kind: 'empty', memory: true });
  await sandbox.setVolume('claim', { kind: 'claim', volume: 'pv', capacity: 4 * 1024 * 1024, readOnly: false });
  const { sh, container } = await run();
  expect(await sh('echo x > /claim/x; cat', { stdin: 'abc' })).toMatchObject({ out: 'abc' });
  const watching = new AbortController();
  const attached = container.attach(false, { signal: watching.signal });
  watching.abort();
  await attached;
  await sandbox.remove();
}

async function belongings(): Promise<object> {
  const count = async (path: string) => (await readdir(path).catch(() => [])).length;
  const [keeper = 0] = childrenOf(process.pid);
  return {
    descriptors: await count('/proc/self/fd'),
    children: childrenOf(process.pid).length,
    mounts: (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').length,
    keeperMounts: (await readFile(`/proc/${keeper}/mountinfo`, 'utf8').catch(() => '')).split('\n').length,
    pods: await count(`${all.dataDir}/pods`),
    logs: await count(`${all.dataDir}/logs`),
    memory: await count(`/proc/${keeper}/root${all.dataDir}/run/memory`),
  };
}

test('pods that come and go leave nothing', async () => {
  await round();
  const before = await belongings();
  for (let batch = 0; batch < 3; batch++) await Promise.all([round(), round(), round()]);
  expect(await belongings()).toMatchObject({ ...before, descriptors: expect.any(Number) });
  await round();
  const { descriptors } = (await belongings()) as { descriptors: number };
  expect(descriptors).toBeLessThanOrEqual((before as { descriptors: number }).descriptors + 2);
});
