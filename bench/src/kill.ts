import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap } from '@coxswain/k8s';
import { type Client, createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { end, freePort, startCox, untilAnswer } from './process.ts';

export interface KillOptions {
  /** Folder for the data directory and the kubeconfig. */
  readonly home: string;
  /** How many writes are attempted; the kill comes after half of them were acknowledged. */
  readonly writes: number;
}

export interface KillResult {
  readonly acknowledged: number;
  /** Acknowledged, and not there after the restart. */
  readonly lost: number;
}

const inFlight = 64;
const namespace = 'default';

async function start(dir: string, home: string) {
  const port = await freePort();
  const kubeconfig = join(home, `kubeconfig-${port}`);
  const flags = [
    '--port',
    String(port),
    '--data-dir',
    dir,
    '--fsync',
    'always',
    '--nodes',
    '0',
    '--kubeconfig',
    kubeconfig,
    '--name',
    `kill-${port}`,
  ];
  const child = startCox(['cluster', 'start', ...flags], home);
  await untilAnswer(`https://127.0.0.1:${port}/readyz`, performance.now());
  while ((await readFile(kubeconfig, 'utf8').catch(() => '')) === '')
    await new Promise((resolve) => setTimeout(resolve, 5));
  const client = createClient({ transport: httpTransport(await loadKubeconfig({ path: kubeconfig })) });
  return { child, client };
}

/** Writes from several hands at once until the server dies; answers the names whose creation was acknowledged. */
async function write(client: Client, writes: number, onAcknowledged: (count: number) => void): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  let next = 0;
  const hand = async () => {
    while (next < writes) {
      const name = `write-${next++}`;
      try {
        await client.of(ConfigMap).create({ metadata: { name, namespace }, data: { value: name } });
      } catch {
        return; // the server is gone: whatever was under way was not acknowledged
      }
      acknowledged.add(name);
      onAcknowledged(acknowledged.size);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, hand));
  return acknowledged;
}

/** Kills a cluster with SIGKILL in the middle of many writes, starts it again on the same data, and counts what is missing. */
export async function killTest({ home, writes }: KillOptions): Promise<KillResult> {
  const dir = await mkdtemp(join(home, 'data-'));
  const first = await start(dir, home);
  let killed: Promise<void> | undefined;
  const acknowledged = await write(first.client, writes, (count) => {
    if (count >= writes / 2) killed ??= end(first.child, 'SIGKILL');
  });
  await killed;
  await first.client.transport.close();
  const second = await start(dir, home);
  const present = new Set<string>();
  for await (const { metadata } of second.client.of(ConfigMap).listAll({ namespace })) present.add(metadata.name);
  await second.client.transport.close();
  await end(second.child);
  await rm(dir, { recursive: true, force: true });
  const lost = [...acknowledged].filter((name) => !present.has(name)).length;
  return { acknowledged: acknowledged.size, lost };
}
