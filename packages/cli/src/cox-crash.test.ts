/** A cluster with a process-backed node whose process is killed, as its users have it. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { type Client, createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { type TestCox, testCox } from './test-cox.ts';

const key = (name: string) => ({ namespace: 'default', name });

/** Asks until there is an answer. */
async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = systemClock.monotonic() + 60_000;
  while (systemClock.monotonic() < deadline) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(systemClock, 20);
  }
  throw new Error(`${what}: not within 60 s`);
}

/** Processes that have a text among their parameters or variables. */
async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const words = ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => ''));
    if ((await Promise.all(words)).some((word) => word.includes(text))) found.push(Number(pid));
  }
  return found;
}

/** The same command each time, until it runs. */
async function start(world: TestCox): Promise<{ child: ChildProcess; client: Client }> {
  const kubeconfig = join(world.dir, 'kubeconfig');
  const folders = ['--data-dir', join(world.dir, 'data'), '--kubeconfig', kubeconfig];
  const child = world.start(['cluster', 'start', '--process-nodes', '1', ...folders, '--name', 'crash']);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      said += text;
    });
  await until('the start', async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${said}`);
    return /^kubeconfig: /m.test(said) ? true : undefined;
  });
  return { child, client: createClient({ transport: httpTransport(await loadKubeconfig({ path: kubeconfig })) }) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** A pod with the claim `data` at /data; one that runs to its end is not started again. */
const createPod = (client: Client, name: string, command: string[], restartPolicy: string) =>
  client.of(Pod).create({
    metadata: key(name),
    spec: {
      restartPolicy,
      containers: [{ name: 'main', image: 'busybox', command, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });

const running = (client: Client, runs: number) =>
  until(`run ${runs} of the pod`, async () => {
    const [status] = (await client.of(Pod).get(key('store'))).status?.containerStatuses ?? [];
    return status?.ready && status.restartCount === runs ? true : undefined;
  });

const reader = (client: Client, name: string, script: string) =>
  createPod(client, name, ['sh', '-c', script], 'Never').then(() =>
    until(`the end of ${name}`, async () => {
      const { status } = await client.of(Pod).get(key(name));
      return status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
    }),
  );

test('a cluster that is killed leaves no process; started again it has its pod and what is in its volume', {
  timeout: 180_000,
}, async () => {
  await using world = await testCox();
  const word = `crash-${process.pid}`;
  const first = await start(world);
  try {
    await first.client.of(PersistentVolumeClaim).create({
      metadata: key('data'),
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Mi' } } },
    });
    const script = 'echo run >> /data/runs; sync; while :; do sleep 0.2; done';
    await createPod(first.client, 'store', ['sh', '-c', script, word], 'Always');
    await running(first.client, 0);
    expect(await reader(first.client, 'before', 'until test -e /data/runs; do sleep 0.1; done')).toBe(0);
    expect((await processesWith(word)).length).toBeGreaterThan(0);
  } finally {
    await end(first.child, 'SIGKILL');
  }
  // what cox starts has the folder of this test among its parameters or variables
  for (const text of [word, world.dir])
    await until(`the end of processes with ${text}`, async () =>
      (await processesWith(text)).length === 0 ? true : undefined,
    );
  const second = await start(world);
  try {
    await running(second.client, 1);
    const script = 'until test "$(wc -l < /data/runs)" -eq 2; do sleep 0.1; done';
    expect(await reader(second.client, 'after', script)).toBe(0);
  } finally {
    await end(second.child, 'SIGTERM');
  }
  expect(await processesWith(word)).toEqual([]);
});
