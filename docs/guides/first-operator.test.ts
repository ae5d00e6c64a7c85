import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigMap } from '@coxswain/k8s';
import { findCondition, installCrds } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { Greeting, greetings } from './first-operator.ts';

/** What a user sends: defaults are left out, and nothing is checked yet. */
const sent = (metadata: { namespace: string; name: string }, spec: object) => ({ metadata, spec }) as Greeting;

test('a greeting becomes a ConfigMap, follows its spec, and goes with it', async () => {
  await using world = await startTestCluster({ clock: new VirtualClock() });
  const { client, namespace } = world;
  await installCrds(client, [Greeting.crd()]);
  const manager = await world.manager();
  greetings(manager);
  await manager.start();
  const key = { namespace, name: 'ada' };
  await client.of(Greeting).create(sent(key, { whom: 'Ada' }));
  await world.settled();
  const made = await client.of(Greeting).get(key);
  expect(made).toMatchObject({ spec: { word: 'hello' }, status: { text: 'hello Ada' } });
  expect(made.metadata.finalizers).toEqual(['demo.dev/greeting']);
  expect(findCondition(made, 'Synced')).toMatchObject({ status: 'True', message: 'the object is synced' });
  expect((await client.of(ConfigMap).get(key)).data).toEqual({ text: 'hello Ada' });

  await client.of(Greeting).patch(key, merge({ spec: { word: 'welcome' } }));
  await world.settled();
  expect((await client.of(ConfigMap).get(key)).data).toEqual({ text: 'welcome Ada' });

  await client.of(ConfigMap).patch(key, merge({ data: { text: 'rubbish' } }));
  await world.settled();
  expect((await client.of(ConfigMap).get(key)).data).toEqual({ text: 'welcome Ada' });

  await client.of(Greeting).delete(key);
  await world.settled();
  expect(await client.of(ConfigMap).find(key)).toBeUndefined();
  expect(await client.of(Greeting).find(key)).toBeUndefined();
});

test('a word that is not one of the two is refused', async () => {
  await using world = await startTestCluster({ clock: new VirtualClock() });
  await installCrds(world.client, [Greeting.crd()]);
  const body = sent({ namespace: world.namespace, name: 'ada' }, { whom: 'Ada', word: 'hey' });
  await expect(world.client.of(Greeting).create(body)).rejects.toThrow(
    'Greeting.demo.dev "ada" is invalid: spec.word: Unsupported value: "hey": supported values: "hello", "welcome"',
  );
});

test('the program runs on a cluster of a kubeconfig, and ends when told to', async () => {
  await using world = await startTestCluster({ http: true });
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-guide-'));
  const kubeconfig = join(dir, 'kubeconfig');
  await writeFile(kubeconfig, world.kubeconfig(), { mode: 0o600 });
  const program = spawn(process.execPath, [fileURLToPath(new URL('./first-operator-main.ts', import.meta.url))], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => program.once('close', resolve));
  try {
    let said = '';
    program.stderr.on('data', (chunk) => {
      said += chunk;
    });
    await world.eventually(() => {
      expect(program.exitCode, said).toBeNull();
      return said.includes('"greeting"');
    });
    const key = { namespace: world.namespace, name: 'ada' };
    await world.client.of(Greeting).create(sent(key, { whom: 'Ada' }));
    await world.until(ConfigMap, key, (map) => map?.data?.['text'] === 'hello Ada');
    program.kill('SIGTERM');
    expect(await ended).toBe(0);
  } finally {
    program.kill('SIGKILL');
    await rm(dir, { recursive: true });
  }
});
