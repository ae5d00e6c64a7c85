import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, httpTransport, loadKubeconfig, type Transport } from '@coxswain/runtime/client';
import { type Clock, systemClock } from '@coxswain/runtime/core';
import { goProgramPath, missingGoPrograms } from '../go-programs/index.ts';
import { tokenKubeconfig } from '../token-kubeconfig.ts';
import { type Child, freePort, startChild, untilReady } from './child.ts';

/** Of a real etcd and kube-apiserver; all of it optional. */
export interface ControlPlaneOptions {
  /** Milliseconds each program may take until it is ready; default 120 000. */
  readonly timeout?: number;
  readonly clock?: Clock;
  /** Admission plug-ins that a plain Kubernetes leaves off, too: `OwnerReferencesPermissionEnforcement`. Default: none. */
  readonly admissionPlugins?: readonly string[];
}

/** A real etcd and kube-apiserver on loopback, empty, with nothing else running. */
export interface ControlPlane {
  /** As an administrator (`system:masters`). */
  readonly client: Client;
  readonly transport: Transport;
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** `http://127.0.0.1:PORT` of etcd, whose JSON gateway is open to all on this machine. */
  readonly etcdUrl: string;
  /** Process ids of etcd and kube-apiserver. */
  readonly pids: readonly number[];
  /** Ends kube-apiserver as a power cut does (SIGKILL) and starts it again, at the same address. Resolves when it is ready. */
  crashApiserver(): Promise<void>;
  /** A kubeconfig (YAML) for the administrator. Holds a secret. */
  kubeconfig(): string;
  /** Ends both programs and removes their data. May be called twice. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const admin = 'admin';

function startEtcd(clock: Clock, path: string, data: string, [client, peer]: readonly [number, number]): Child {
  const clientUrl = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  return startChild(clock, 'etcd', path, [
    `--data-dir=${data}`,
    '--unsafe-no-fsync',
    '--log-level=error',
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ]);
}

async function startApiserver(
  clock: Clock,
  path: string,
  dir: string,
  at: { readonly etcd: number; readonly port: number; readonly token: string; readonly plugins: readonly string[] },
): Promise<Child> {
  const key = join(dir, 'sa.key');
  const tokens = join(dir, 'tokens.csv');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  await writeFile(tokens, `${at.token},${admin},${admin},system:masters\n`, { mode: 0o600 });
  return startChild(clock, 'kube-apiserver', path, [
    `--etcd-servers=http://127.0.0.1:${at.etcd}`,
    `--secure-port=${at.port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(dir, 'certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    '--allow-privileged',
    `--token-auth-file=${tokens}`,
    ...(at.plugins.length > 0 ? [`--enable-admission-plugins=${at.plugins.join(',')}`] : []),
  ]);
}

/** Whether the URL answers 200 to somebody who does not check its certificate. */
function isReady(url: string, token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    const asked = request(url, { headers, rejectUnauthorized: false, timeout: 2_000 }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
    asked.end();
  });
}

/**
 * Starts a real etcd and kube-apiserver, with all default admission and RBAC, without a controller manager or nodes.
 * @throws Error naming the missing programs, or what the program said that did not come up
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { timeout = 120_000, clock = systemClock, admissionPlugins: plugins = [] } = options;
  const missing = await missingGoPrograms(['etcd', 'kube-apiserver']);
  if (missing.length > 0)
    throw new Error(
      `no real control plane: ${missing.join(' and ')} not built; \`./cox test differential\` does, or set KCP to the folder that has them`,
    );
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-control-plane-'));
  const children: Child[] = [];
  const closers: (() => Promise<void>)[] = [() => rm(dir, { recursive: true, force: true })];
  const stop = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  const keep = (child: Child) => {
    children.push(child);
    closers.push(() => child.stop());
    return child;
  };
  try {
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const token = randomBytes(16).toString('hex');
    const url = `https://127.0.0.1:${port}`;
    keep(startEtcd(clock, goProgramPath('etcd'), join(dir, 'etcd'), [etcdPort, peerPort]));
    const serve = async () => {
      const at = { etcd: etcdPort, port, token, plugins };
      const server = keep(await startApiserver(clock, goProgramPath('kube-apiserver'), dir, at));
      await untilReady(clock, server, probe, timeout);
    };
    const probe = async () => {
      const broken = children.find((child) => child.ended());
      if (broken) throw new Error(`${broken.name} ended; it last said:\n${broken.said()}`);
      return isReady(`${url}/readyz`, token);
    };
    await serve();
    const ca = await readFile(join(dir, 'certs', 'apiserver.crt'), 'utf8');
    const config = tokenKubeconfig({ name: 'real', server: url, ca, serverName: 'kubernetes.default.svc', token });
    const transport = httpTransport(await loadKubeconfig({ text: config }));
    closers.push(() => transport.close());
    return {
      client: createClient({ transport, fieldManager: admin, userAgent: admin, clock }),
      transport,
      url,
      etcdUrl: `http://127.0.0.1:${etcdPort}`,
      get pids() {
        return children.map(({ pid }) => pid);
      },
      async crashApiserver() {
        const [server] = children.splice(1);
        await server?.kill();
        await serve();
      },
      kubeconfig: () => config,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
