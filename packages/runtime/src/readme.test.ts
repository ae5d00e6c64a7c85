/** The operator of the README, as its readers have it: the same text, a process of its own, and a cluster over HTTPS. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { ConfigMap, type Kind } from '@coxswain/k8s';
import { createCache } from '@coxswain/runtime/cache';
import { expect, it } from 'vitest';
import { isReady } from './apply/index.ts';
import { systemClock, systemRandom } from './core/index.ts';

const program = fileURLToPath(new URL('./test-echo-operator.ts', import.meta.url));
const Echo: Kind = { group: 'demo.dev', version: 'v1', kind: 'Echo', plural: 'echoes', scope: 'Namespaced' };
const key = { namespace: 'default', name: 'hello' };

function lineWith(child: ChildProcess, text: string): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (said.includes(text)) resolve();
    });
    child.once('close', () => reject(new Error(`it ended before it said ${text}:\n${said}`)));
  });
}

async function playEcho({ client, clock }: Cluster): Promise<void> {
  const cache = createCache({ client, clock, random: systemRandom });
  try {
    const [echoes, maps] = [cache.informer(Echo), cache.informer(ConfigMap)];
    const until = (done: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (done()) resolve();
        };
        echoes.onEvent(look);
        maps.onEvent(look);
      });
    await cache.synced();
    await client.of(Echo).create({ metadata: key, ...{ spec: { text: 'ho' } } });
    await until(() => isReady(echoes.store.get(key) ?? { metadata: key }));
    expect(echoes.store.get(key)).toMatchObject({ status: { said: 'ho ho' } });
    expect(await client.of(ConfigMap).get(key)).toMatchObject({ data: { said: 'ho ho' } });
    await client.of(Echo).delete(key);
    await until(() => !echoes.store.get(key) && !maps.store.get(key));
  } finally {
    await cache.stop();
  }
}

it('is the program that runs', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${readFileSync(program, 'utf8')}\`\`\``);
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-readme-'));
  await using cluster = await startCluster({ port: 0, clock: systemClock });
  const kubeconfig = join(dir, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  const operator = spawn(process.execPath, [program], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => operator.once('close', resolve));
  try {
    await lineWith(operator, '"ready for echoes; Ctrl-C ends"');
    await playEcho(cluster);
    operator.kill('SIGTERM');
    expect(await ended).toBe(0);
  } finally {
    operator.kill('SIGKILL');
    await rm(dir, { recursive: true });
  }
});
