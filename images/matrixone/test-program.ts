import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HaKeeper } from '@coxswain/operator-matrixone/mo';
import { MorpcClient } from '@coxswain/operator-matrixone/morpc';
import { systemClock, systemRandom } from '@coxswain/runtime/core';
import type { Service } from './nodes/surroundings.ts';
import { run } from './run.ts';

/** Ports of 127.0.0.1 that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A process as a test sees it. */
export interface TestProcess {
  /** The address that others are told, by name. */
  readonly addresses: Readonly<Record<string, string>>;
  /** What it has logged. */
  readonly lines: readonly string[];
  readonly exit: Promise<number>;
  /** Asks it to stop, as SIGTERM does. @returns its exit code */
  stop(): Promise<number>;
}

/** Programs on loopback, with a folder of their own. */
export class TestPrograms {
  readonly folder: string;
  readonly client = new MorpcClient({ clock: systemClock, maxBackoff: 100 });
  readonly #running: TestProcess[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<TestPrograms> {
    return new TestPrograms(await mkdtemp(join(tmpdir(), 'mo-')));
  }

  haKeeper(...addresses: readonly string[]): HaKeeper {
    return new HaKeeper({ client: this.client, clock: systemClock, addresses });
  }

  /** Runs the program with this configuration; resolves when it serves. Rejects when it ends before. */
  async start(name: string, toml: string, env: Record<string, string> = {}): Promise<TestProcess> {
    const file = join(this.folder, `${name}.toml`);
    await writeFile(file, toml.replaceAll('DIR', this.folder));
    const lines: string[] = [];
    const stopping = new AbortController();
    const { promise: started, resolve } = Promise.withResolvers<readonly Service[]>();
    const exit = run(['-cfg', file], {
      clock: systemClock,
      random: systemRandom,
      env,
      stop: stopping.signal,
      write: (line) => lines.push(line),
      say: (text) => lines.push(text),
      started: resolve,
    });
    const ended = exit.then((code) => Promise.reject(new Error(`${name} ended with ${code}: ${lines.join('')}`)));
    ended.catch(() => {});
    const services = await Promise.race([started, ended]);
    const stop = () => {
      stopping.abort(new Error('SIGTERM'));
      return exit;
    };
    const running = { addresses: services[0]?.addresses ?? {}, lines, exit, stop };
    this.#running.push(running);
    return running;
  }

  async writeFaults(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  read(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8');
  }

  async close(): Promise<void> {
    this.client.close();
    await Promise.all(this.#running.map((running) => running.stop()));
    await rm(this.folder, { recursive: true });
  }
}

/** Waits for what another process does in its own time, `pause` milliseconds between two looks. @throws the last error when it did not come within `seconds` */
export async function eventually<T>(look: () => Promise<T>, { seconds = 15, pause = 20 } = {}): Promise<T> {
  const deadline = systemClock.monotonic() + seconds * 1000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (systemClock.monotonic() > deadline) throw error;
      await new Promise<void>((resolve) => systemClock.after(pause, resolve));
    }
  }
}

/** Configuration of a log store of its own, or of one of several whose gossip ports are given. */
export function logToml(index = 0, ports: readonly number[] = [0], uuids: readonly string[] = ['log-0']): string {
  const list = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text)).join(', ');
  return `
service-type = "LOG"
data-dir = "DIR/log-${index}"
[hakeeper-client]
discovery-address = "127.0.0.1:1"
[logservice]
deployment-id = 1
uuid = "log-${index}"
raft-address = "127.0.0.1:0"
raft-listen-address = "127.0.0.1:0"
logservice-address = "127.0.0.1:0"
logservice-listen-address = "127.0.0.1:0"
gossip-address = "127.0.0.1:${ports[index]}"
gossip-listen-address = "127.0.0.1:${ports[index]}"
gossip-seed-addresses = [${list(ports.filter((port) => port > 0).map((port) => `127.0.0.1:${port}`))}]
[logservice.BootstrapConfig]
bootstrap-cluster = true
num-of-log-shards = 1
num-of-tn-shards = 1
num-of-log-shard-replicas = ${uuids.length}
init-hakeeper-members = [${list(uuids.map((uuid, at) => `${131072 + at}:${uuid}`))}]
`;
}

/** Configuration of a transaction node. */
export const tnToml = (log: string) => `
service-type = "TN"
data-dir = "DIR/tn"
[hakeeper-client]
service-addresses = ["${log}"]
[tn]
uuid = "tn-0"
listen-address = "127.0.0.1:0"
[tn.LogtailServer]
listen-address = "127.0.0.1:0"
[tn.lockservice]
listen-address = "127.0.0.1:0"
[tn.queryservice]
listen-address = "127.0.0.1:0"
[tn.shardservice]
listen-address = "127.0.0.1:0"
`;

/** Configuration of a compute node. */
export const cnToml = (log: string, uuid: string, initWorkState = 'Working') => `
service-type = "CN"
data-dir = "DIR/${uuid}"
[hakeeper-client]
service-addresses = ["${log}"]
[cn]
uuid = "${uuid}"
listen-address = "127.0.0.1:0"
sql-address = "127.0.0.1:0"
init-work-state = "${initWorkState}"
[cn.lockservice]
listen-address = "127.0.0.1:0"
[cn.queryservice]
listen-address = "127.0.0.1:0"
[cn.shardservice]
listen-address = "127.0.0.1:0"
[cn.frontend]
host = "127.0.0.1"
port = 0
`;

/** Configuration of a proxy that looks at the cluster often. */
export const proxyToml = (log: string) => `
service-type = "PROXY"
data-dir = "DIR/proxy"
[hakeeper-client]
service-addresses = ["${log}"]
[proxy]
uuid = "proxy-0"
listen-address = "127.0.0.1:0"
rebalance-interval = "100ms"
[proxy.cluster]
refresh-interval = "100ms"
`;
