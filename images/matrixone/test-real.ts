import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HaKeeper } from '@coxswain/operator-matrixone/mo';
import { MorpcClient } from '@coxswain/operator-matrixone/morpc';
import { systemClock } from '@coxswain/runtime/core';
import { freePorts } from './test-program.ts';

/** The real `mo-service`, built from MatrixOne's source; absent: tests with it are left out. */
export const realProgram = process.env['MO_SERVICE'];

const uuidOf = (kind: number, index: number) => `0000000${kind}-0000-0000-0000-00000000000${index}`;

interface Started {
  readonly child: ChildProcess;
  readonly exit: Promise<readonly [number | null, string | null]>;
}

/** A whole MatrixOne of real processes on loopback: three log stores, a transaction node, compute nodes and a proxy. Takes 2.5 GiB. */
export class RealMatrixOne implements AsyncDisposable {
  readonly #folder: string;
  readonly #program: string;
  readonly #running = new Map<string, Started>();
  readonly #logPorts: readonly number[];
  readonly client = new MorpcClient({ clock: systemClock, maxBackoff: 100 });
  readonly keeper: HaKeeper;
  /** Of HAKeeper. */
  readonly addresses: readonly string[];

  private constructor(program: string, folder: string, logPorts: readonly number[]) {
    this.#program = program;
    this.#folder = folder;
    this.#logPorts = logPorts;
    this.addresses = [0, 1, 2].map((index) => `127.0.0.1:${logPorts[index * 3 + 1]}`);
    this.keeper = new HaKeeper({ client: this.client, clock: systemClock, addresses: this.addresses });
  }

  static async make(program: string): Promise<RealMatrixOne> {
    return new RealMatrixOne(program, await mkdtemp(join(tmpdir(), 'mo-real-')), await freePorts(9));
  }

  async startLogs(): Promise<void> {
    for (const index of [0, 1, 2]) await this.start(`log-${index}`, this.#logToml(index));
  }

  startTn(port: number): Promise<void> {
    const tn = `[tn]\nuuid = "${uuidOf(1, 0)}"\nservice-host = "127.0.0.1"\nport-base = ${port}\n`;
    return this.start('tn', `service-type = "TN"\n${this.#common('tn')}${this.#keepers()}${tn}`);
  }

  /** @returns the node's UUID and the address of its SQL */
  async startCn(index: number, port: number, state = 'Working'): Promise<{ uuid: string; sql: string }> {
    const [frontend = 0] = await freePorts(1);
    const [uuid, sql] = [uuidOf(2, index), `127.0.0.1:${frontend}`];
    const cn = `
[cn]
uuid = "${uuid}"
role = "TP"
service-host = "127.0.0.1"
port-base = ${port}
sql-address = "${sql}"
init-work-state = "${state}"
[cn.frontend]
port = ${frontend}
proxy-enabled = true
unix-socket = "${join(this.#folder, `cn-${index}.sock`)}"
`;
    await this.start(`cn-${index}`, `service-type = "CN"\n${this.#common(`cn-${index}`)}${this.#keepers()}${cn}`);
    return { uuid, sql };
  }

  /** @returns where it listens */
  async startProxy(): Promise<string> {
    const [port = 0] = await freePorts(1);
    const listen = `127.0.0.1:${port}`;
    const proxy = `[proxy]\nuuid = "${uuidOf(3, 0)}"\nlisten-address = "${listen}"\n`;
    await this.start('proxy', `service-type = "PROXY"\n${this.#common('proxy')}${this.#keepers()}${proxy}`);
    return listen;
  }

  async start(name: string, toml: string): Promise<void> {
    const file = join(this.#folder, `${name}.toml`);
    await mkdir(join(this.#folder, name), { recursive: true });
    await writeFile(file, toml);
    const log = await open(join(this.#folder, `${name}.log`), 'a');
    const env = { ...process.env, GOMEMLIMIT: '1500MiB' };
    const child = spawn(this.#program, ['-cfg', file], { env, stdio: ['ignore', log.fd, log.fd], cwd: this.#folder });
    const exit = once(child, 'exit').then(([code, signal]): [number | null, string | null] => [code, signal]);
    await log.close();
    this.#running.set(name, { child, exit });
  }

  /** @returns the exit code and the signal that ended it */
  async stop(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<readonly [number | null, string | null]> {
    const started = this.#running.get(name);
    if (!started) throw new Error(`${name} was not started`);
    this.#running.delete(name);
    if (started.child.exitCode === null) started.child.kill(signal);
    return started.exit;
  }

  /** What a process said last. */
  async said(name: string): Promise<string> {
    return (await readFile(join(this.#folder, `${name}.log`), 'utf8')).slice(-2000);
  }

  #keepers(): string {
    const list = this.addresses.map((address) => JSON.stringify(address)).join(', ');
    return `[hakeeper-client]\nservice-addresses = [${list}]\n`;
  }

  #common(name: string): string {
    const at = (path: string) => JSON.stringify(join(this.#folder, path));
    return `data-dir = ${at(name)}
[[fileservice]]
name = "LOCAL"
backend = "DISK"
data-dir = ${at(`${name}/local`)}
[fileservice.cache]
memory-capacity = "16MB"
[[fileservice]]
name = "SHARED"
backend = "DISK"
data-dir = ${at('shared')}
[fileservice.cache]
memory-capacity = "128MB"
disk-capacity = "64MB"
disk-path = ${at(`${name}/cache`)}
[[fileservice]]
name = "ETL"
backend = "DISK-ETL"
data-dir = ${at('etl')}
[fileservice.cache]
memory-capacity = "1B"
[observability]
disableTrace = true
disableMetric = true
`;
  }

  #logToml(index: number): string {
    const port = (one: number, slot: number) => this.#logPorts[one * 3 + slot];
    const seeds = [0, 1, 2].map((one) => `"127.0.0.1:${port(one, 2)}"`).join(', ');
    const members = [0, 1, 2].map((one) => `"${131072 + one}:${uuidOf(0, one)}"`).join(', ');
    const name = `log-${index}`;
    return `service-type = "LOG"
${this.#common(name)}
[hakeeper-client]
discovery-address = "127.0.0.1:${port(index, 1)}"
[logservice]
deployment-id = 1
uuid = "${uuidOf(0, index)}"
data-dir = ${JSON.stringify(join(this.#folder, name, 'logservice'))}
snapshot-export-dir = ${JSON.stringify(join(this.#folder, name, 'snapshots'))}
service-host = "127.0.0.1"
raft-port = ${port(index, 0)}
logservice-port = ${port(index, 1)}
gossip-port = ${port(index, 2)}
gossip-seed-addresses = [${seeds}]
[logservice.BootstrapConfig]
bootstrap-cluster = true
num-of-log-shards = 1
num-of-tn-shards = 1
num-of-log-shard-replicas = 3
init-hakeeper-members = [${members}]
`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    // As in Kubernetes: what does not end by itself is ended.
    const ends = [...this.#running.values()].map(async ({ child, exit }) => {
      const hard = systemClock.after(10_000, () => child.kill('SIGKILL'));
      child.kill('SIGTERM');
      await exit;
      hard.cancel();
    });
    await Promise.all(ends);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
