import { spawn } from 'node:child_process';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMs, end, freePort, memoryOf, untilAnswer } from '../process.ts';

export interface PeerStart {
  readonly ms: number;
  readonly cpu: number;
  readonly mib: number;
}

/** Where the real programs are when they have been built: `$KCP`, or its default in the user's cache folder. */
function programs(): { etcd: string; apiserver: string } {
  const kcp = process.env['KCP'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'coxswain', 'kcp');
  return { etcd: join(kcp, 'bin', 'etcd'), apiserver: join(kcp, 'k-v1.37.2', 'bin', 'kube-apiserver') };
}

async function openssl(args: readonly string[]): Promise<void> {
  const child = spawn('openssl', args, { stdio: 'ignore' });
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== 0) throw new Error(`openssl ${args[0]} ended with ${code}`);
}

async function sum(pids: readonly number[], measure: (pid: number) => Promise<number>): Promise<number> {
  return (await Promise.all(pids.map(measure))).reduce((total, value) => total + value, 0);
}

async function startOnce(dir: string): Promise<PeerStart> {
  const { etcd, apiserver } = programs();
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const since = performance.now();
  const clientUrl = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const data = await mkdtemp(join(dir, 'etcd-'));
  const storeFlags = [
    '--data-dir',
    data,
    '--unsafe-no-fsync',
    '--listen-client-urls',
    clientUrl,
    '--advertise-client-urls',
    clientUrl,
    '--listen-peer-urls',
    peerUrl,
    '--initial-advertise-peer-urls',
    peerUrl,
    '--initial-cluster',
    `default=${peerUrl}`,
  ];
  const store = spawn(etcd, storeFlags, { stdio: 'ignore' });
  const key = join(dir, 'sa.key');
  const serverFlags = [
    `--etcd-servers=${clientUrl}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${data}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
  ];
  const server = spawn(apiserver, serverFlags, { stdio: 'ignore' });
  try {
    const ms = await untilAnswer(`https://127.0.0.1:${port}/readyz`, since, 120_000);
    const pids = [store.pid ?? 0, server.pid ?? 0];
    const [cpu, mib] = await Promise.all([sum(pids, cpuMs), sum(pids, async (pid) => (await memoryOf(pid)).resident)]);
    return { ms, cpu, mib };
  } finally {
    await end(server, 'SIGKILL');
    await end(store, 'SIGKILL');
  }
}

/** Starts etcd + kube-apiserver `runs` times as a test would; `undefined` when they are not built on this machine. */
export async function controlPlanePeer(runs: number): Promise<PeerStart[] | undefined> {
  const { etcd, apiserver } = programs();
  const built = await Promise.all([access(etcd), access(apiserver)]).then(
    () => true,
    () => false,
  );
  if (!built) return undefined;
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-peer-'));
  try {
    await openssl(['genrsa', '-out', join(dir, 'sa.key'), '2048']);
    const starts: PeerStart[] = [];
    for (let i = 0; i < runs; i++) starts.push(await startOnce(dir));
    return starts;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
