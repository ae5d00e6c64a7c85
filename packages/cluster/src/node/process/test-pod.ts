import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Container, Pod } from '@coxswain/k8s';
import { seededRandom, silentLogger, systemClock } from '@coxswain/runtime/core';
import type { PodNetwork } from '../network/index.ts';
import type { ContainerExit, ContainerStart, Living, PodSandbox, RunningContainer } from '../runtime.ts';
import { ProcessRuntime, type ProcessRuntimeOptions } from './process-runtime.ts';

/** A network of one address for all. */
export function testNetwork(address = '127.0.0.1'): PodNetwork {
  return {
    joinNode: () => Promise.reject(new Error('no nodes here')),
    leaveNode() {},
    prepare: async () => {},
    async attach(pod, directory) {
      const files = {
        hosts: join(directory, 'hosts'),
        resolvConf: join(directory, 'resolv.conf'),
        hostname: join(directory, 'hostname'),
      };
      const name = pod.metadata.name ?? '';
      await writeFile(files.hosts, `127.0.0.1 localhost\n${address} ${name}\n`);
      await writeFile(files.resolvConf, 'nameserver 127.0.0.53\n');
      await writeFile(files.hostname, `${name}\n`);
      return {
        addresses: [address],
        files,
        hostname: name,
        async dial(port, signal) {
          const socket = connect({ host: address, port, signal });
          await once(socket, 'connect');
          return socket;
        },
        drain: async () => {},
        detach: () => rm(directory, { recursive: true, force: true }),
      };
    },
  };
}

export interface TestRuntime extends AsyncDisposable {
  readonly runtime: ProcessRuntime;
  readonly dataDir: string;
  pod(containers: readonly Partial<Container>[], change?: Partial<NonNullable<Pod['spec']>>): Promise<TestPod>;
}

export interface TestPod {
  readonly pod: Pod;
  readonly sandbox: PodSandbox;
  /** Starts a container: the first, or the one with this name. */
  run(options?: {
    readonly name?: string;
    readonly attempt?: number;
    readonly env?: Record<string, string>;
  }): Promise<TestRun>;
}

export interface TestRun {
  readonly container: RunningContainer;
  readonly exit: Promise<ContainerExit>;
  log(options?: {
    readonly follow?: boolean;
    readonly tailLines?: number;
    readonly timestamps?: boolean;
  }): Promise<string>;
  /** Resolves when the log has a text. */
  logged(text: string): Promise<void>;
  sh(
    script: string,
    options?: { readonly stdin?: string; readonly tty?: boolean },
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
}

/** A cluster without pods, and with these volumes. */
export const living = (...volumes: readonly string[]): Living => ({
  pods: async () => new Set(),
  hasVolume: async (name) => volumes.includes(name),
});

let pods = 0;

export async function readAll(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of stream ?? []) parts.push(part);
  return Buffer.concat(parts).toString();
}

function testRun(
  sandbox: PodSandbox,
  name: string,
  container: RunningContainer,
  exit: Promise<ContainerExit>,
): TestRun {
  const plain = { follow: false, previous: false, timestamps: false };
  return {
    container,
    exit,
    log: (options = {}) =>
      readAll(sandbox.log(name, container.id, { ...plain, ...options }, AbortSignal.timeout(10_000))),
    async logged(text) {
      const signal = AbortSignal.timeout(10_000);
      let seen = '';
      for await (const part of sandbox.log(name, container.id, { ...plain, follow: true }, signal) ?? []) {
        seen += Buffer.from(part).toString();
        if (seen.includes(text)) return;
      }
      throw new Error(`${JSON.stringify(text)} is not in the log, but ${JSON.stringify(seen)}`);
    },
    async sh(script, { stdin, tty = false } = {}) {
      const [stdout, stderr, input] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const [out, err] = [readAll(stdout), readAll(stderr)];
      if (stdin !== undefined) input.end(stdin);
      const streams = {
        stdout,
        stderr,
        ...(stdin === undefined ? {} : { stdin: input }),
        signal: AbortSignal.timeout(10_000),
      };
      const code = await container.exec(['sh', '-c', script], tty, streams).finally(() => {
        stdout.end();
        stderr.end();
      });
      return { code, out: await out, err: await err };
    },
  };
}

async function testPod(
  runtime: ProcessRuntime,
  containers: readonly Partial<Container>[],
  change: Partial<NonNullable<Pod['spec']>>,
): Promise<TestPod> {
  const number = ++pods;
  const all = containers.map((one, index) => ({ name: `c${index}`, image: 'busybox', ...one }));
  const metadata = { name: `pod-${number}`, namespace: 'default', uid: `uid-${number}-${process.pid}` };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: all, ...change } } as Pod;
  const sandbox = await runtime.createSandbox(pod);
  return {
    pod,
    sandbox,
    async run({ name = 'c0', attempt = 0, env = {} } = {}) {
      const container = all.find((one) => one.name === name);
      if (!container) throw new Error(`the pod has no container ${name}`);
      const image = await sandbox.pullImage(container);
      const { promise, resolve } = Promise.withResolvers<ContainerExit>();
      const { command, args } = container;
      const start: ContainerStart = {
        pod,
        container,
        image,
        env,
        attempt,
        onExit: resolve,
        ...(command ? { command } : {}),
        ...(args ? { args } : {}),
      };
      return testRun(sandbox, name, await sandbox.start(start), promise);
    },
  };
}

/** A runtime with a folder of its own, which goes with it unless it is to be kept. */
export async function testRuntime({
  keep = false,
  ...options
}: Partial<ProcessRuntimeOptions> & { readonly keep?: boolean } = {}): Promise<TestRuntime> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'coxswain-process-')));
  const runtime = new ProcessRuntime({
    dataDir,
    images: [],
    network: testNetwork(),
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    ...options,
  });
  return {
    runtime,
    dataDir,
    pod: (containers, change = {}) => testPod(runtime, containers, change),
    async [Symbol.asyncDispose]() {
      await runtime.close();
      if (!keep) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
