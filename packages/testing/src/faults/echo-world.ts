import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap, Namespace } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { type Cache, createCache, type Informer } from '@coxswain/runtime/cache';
import { type Client, createClient, httpTransport, loadKubeconfig, merge } from '@coxswain/runtime/client';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { Echo } from './echo.ts';
import { type Program, startProgram } from './process.ts';
import type { EchoProgramOptions } from './types.ts';
import { moments, within } from './within.ts';

export const namespace = 'faults';

/** Writes that are under way at a time. */
const atOnce = 16;

/** Milliseconds between two looks at what is not right yet. */
const lookEvery = 50;

/** Echoes on a server, and what became of them, seen past any proxy. */
export interface EchoWorld extends AsyncDisposable {
  readonly client: Client;
  readonly cache: Cache;
  readonly maps: Informer<ConfigMap>;
  /** Changes the texts of these echoes; each write is tried until it is done. */
  say(names: readonly string[], text: string): Promise<void>;
  /** Those of the names whose ConfigMap does not say the text. */
  wrong(names: readonly string[], text: string): string[];
  /** Resolves when none is wrong; answers those that are after `limit` milliseconds. */
  right(names: readonly string[], text: string, limit: number): Promise<string[]>;
  /** Starts an operator. @param kubeconfig YAML */
  operator(kubeconfig: string, options: Omit<EchoProgramOptions, 'kubeconfig' | 'namespace'>): Promise<Program>;
}

/** Makes the echoes; the informer of their ConfigMaps is of this process, directly at the server. */
export async function openEchoWorld(kubeconfig: string, names: readonly string[]): Promise<EchoWorld> {
  const transport = httpTransport(await loadKubeconfig({ text: kubeconfig }), { watchIdle: 90_000 });
  const client = createClient({ transport, fieldManager: 'user' });
  await client.of(Namespace).create({ metadata: { name: namespace } });
  await installCrds(client, [Echo.crd()]);
  await inBatches(names, (name) => client.of(Echo).create({ metadata: { name, namespace }, spec: { text: 'first' } }));
  const cache = createCache({ client });
  const maps = cache.informer(ConfigMap, { namespace });
  await within(moments, 'the first listing of the ConfigMaps', cache.synced());
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-echo-'));
  const programs: Program[] = [];
  const wrong = (list: readonly string[], text: string) =>
    list.filter((name) => maps.store.get({ namespace, name })?.data?.['text'] !== text);
  return {
    client,
    cache,
    maps,
    say: (list, text) =>
      inBatches(list, (name) => untilDone(() => client.of(Echo).patch({ namespace, name }, merge({ spec: { text } })))),
    wrong,
    async right(list, text, limit) {
      const end = systemClock.monotonic() + limit;
      for (;;) {
        // our own watch may be the last to come back after a fault, so the server is asked where it knows nothing yet
        const left = await stillWrong(client, wrong(list, text), text);
        if (left.length === 0 || systemClock.monotonic() > end) return left;
        await sleep(systemClock, lookEvery);
      }
    },
    async operator(config, options) {
      const configFile = join(folder, `${options.identity}.kubeconfig`);
      const optionsFile = join(folder, `${options.identity}.json`);
      await writeFile(configFile, config, { mode: 0o600 });
      await writeFile(optionsFile, JSON.stringify({ ...options, kubeconfig: configFile, namespace }));
      const program = startProgram('./echo-program.ts', [optionsFile]);
      programs.push(program);
      return program;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(programs.map((program) => program.end('SIGKILL')));
      await cache.stop();
      await transport.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** All of them, as soon as the first is wrong on the server too. */
async function stillWrong(client: Client, names: readonly string[], text: string): Promise<string[]> {
  for (const [i, name] of names.entries()) {
    const map = await client
      .of(ConfigMap)
      .find({ namespace, name })
      .catch(() => undefined);
    if (map?.data?.['text'] !== text) return names.slice(i);
  }
  return [];
}

async function inBatches(names: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> {
  const left = [...names];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) await work(name);
    }),
  );
}

/** The server may be down for a while. */
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  const end = systemClock.monotonic() + 2 * moments;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (systemClock.monotonic() > end) throw error;
      await sleep(systemClock, 100);
    }
  }
}
