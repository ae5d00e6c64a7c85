import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goProgramPath, missingGoPrograms } from '@coxswain/testing';
import { cpuMs, end, freePort, memoryOf, untilAnswer } from '../process.ts';

export interface PeerStart {
  readonly ms: number;
  readonly cpu: number;
  readonly mib: number;
}

async function openssl(args: readonly string[]): Promise<void> {
  const child = spawn('openssl', args, { stdio: 'ignore' });
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new Error(`openssl ${args[0]} ended with ${code}`);
}

async function sum(pids: readonly number[], measure: (pid: number) => Promise<number>): Promise<number> {
  return (await Promise.all(pids.map(measure))).reduce((total, value) => total + value, 0);
}

/** A control plane that answers. */
export interface RunningControlPlane {
  readonly url: string;
  /** Bearer token of a member of `system:masters`. */
  readonly token: string;
  /** etcd and kube-apiserver. */
  readonly pids: readonly number[];
  /** From the start of both programs to the first answer. */
  readonly ms: number;
  stop(): Promise<void>;
}

const token = 'bench-admin';

function storeFlags(data: string, clientUrl: string, peerUrl: string): string[] {
  const flags = {
    'data-dir': data,
    'listen-client-urls': clientUrl,
    'advertise-client-urls': clientUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
  };
  return ['--unsafe-no-fsync', ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)];
}

function serverFlags(dir: string, data: string, clientUrl: string, port: number): string[] {
  const key = join(dir, 'sa.key');
  return [
    `--etcd-servers=${clientUrl}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${data}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(dir, 'tokens.csv')}`,
  ];
}

/** @param dir holds `sa.key` and `tokens.csv` */
async function start(dir: string): Promise<RunningControlPlane> {
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const clientUrl = `http://127.0.0.1:${client}`;
  const data = await mkdtemp(join(dir, 'etcd-'));
  const since = performance.now();
  const store = spawn(goProgramPath('etcd'), storeFlags(data, clientUrl, `http://127.0.0.1:${peer}`), {
    stdio: 'ignore',
  });
  const server = spawn(goProgramPath('kube-apiserver'), serverFlags(dir, data, clientUrl, port), { stdio: 'ignore' });
  const stop = async () => {
    await end(server, 'SIGKILL');
    await end(store, 'SIGKILL');
  };
  try {
    const url = `https://127.0.0.1:${port}`;
    const ms = await untilAnswer(`${url}/readyz`, since, 120_000);
    return { url, token, pids: [store.pid ?? 0, server.pid ?? 0], ms, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startOnce(dir: string): Promise<PeerStart> {
  const { pids, ms, stop } = await start(dir);
  try {
    const [cpu, mib] = await Promise.all([sum(pids, cpuMs), sum(pids, async (pid) => (await memoryOf(pid)).resident)]);
    return { ms, cpu, mib };
  } finally {
    await stop();
  }
}

/** Runs `use` with a folder that has what the programs need; `undefined` when they are not built on this machine. */
async function inFolder<T>(use: (dir: string) => Promise<T>): Promise<T | undefined> {
  if ((await missingGoPrograms(['etcd', 'kube-apiserver'])).length > 0) return undefined;
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-peer-'));
  try {
    await openssl(['genrsa', '-out', join(dir, 'sa.key'), '2048']);
    await writeFile(join(dir, 'tokens.csv'), `${token},bench,bench,"system:masters"\n`, { mode: 0o600 });
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Starts etcd + kube-apiserver `runs` times as a test would; `undefined` when they are not built on this machine. */
export function controlPlanePeer(runs: number): Promise<PeerStart[] | undefined> {
  return inFolder(async (dir) => {
    const starts: PeerStart[] = [];
    for (let i = 0; i < runs; i++) starts.push(await startOnce(dir));
    return starts;
  });
}

/** Runs `use` beside etcd + kube-apiserver; `undefined` when they are not built on this machine. */
export function withControlPlane<T>(use: (plane: RunningControlPlane) => Promise<T>): Promise<T | undefined> {
  return inFolder(async (dir) => {
    const plane = await start(dir);
    try {
      return await use(plane);
    } finally {
      await plane.stop();
    }
  });
}
