import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@coxswain/runtime/core';
import { type Child, untilReady } from '../control-plane/child.ts';
import { goProgramPath } from '../go-programs/index.ts';
import { tokenKubeconfig } from '../token-kubeconfig.ts';
import { addresses } from './addresses.ts';
import type { Machine } from './machine.ts';

/** Everything a part of the control plane is told, to be started. */
export interface Plane {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly folder: string;
  /** Tokens of users, by user name. */
  readonly tokens: ReadonlyMap<string, { readonly token: string; readonly groups: readonly string[] }>;
}

export const certificateOf = (folder: string): string => join(folder, 'certs', 'apiserver.crt');

/** A kubeconfig of a user of the cluster. */
export async function kubeconfigOf({ folder, tokens }: Plane, user: string, server: string): Promise<string> {
  const ca = await readFile(certificateOf(folder), 'utf8');
  const token = tokens.get(user)?.token;
  return tokenKubeconfig({ name: 'real', server, ca, serverName: 'kubernetes.default.svc', token });
}

/** Whether a port of the network's loopback answers; the client's own certificate checks are not the question here. */
async function answers(machine: Machine, port: number): Promise<boolean> {
  const socat = ['socat', '-u', 'OPEN:/dev/null', `TCP:127.0.0.1:${port},connect-timeout=2`] as const;
  return machine.run(socat).then(
    () => true,
    () => false,
  );
}

function etcd({ machine, folder }: Plane): Child {
  return machine.start('etcd', [
    goProgramPath('etcd'),
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    '--log-level=error',
    '--listen-client-urls=http://127.0.0.1:2379',
    '--advertise-client-urls=http://127.0.0.1:2379',
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--initial-advertise-peer-urls=http://127.0.0.1:2380',
    '--initial-cluster=default=http://127.0.0.1:2380',
  ]);
}

async function apiserver({ machine, folder, tokens }: Plane): Promise<Child> {
  const key = join(folder, 'accounts.key');
  const list = join(folder, 'tokens.csv');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  const lines = [...tokens].map(([user, { token, groups }]) => `${token},${user},${user},"${groups.join(',')}"\n`);
  await writeFile(list, lines.join(''), { mode: 0o600 });
  return machine.start('kube-apiserver', [
    goProgramPath('kube-apiserver'),
    '--etcd-servers=http://127.0.0.1:2379',
    '--secure-port=6443',
    '--bind-address=0.0.0.0',
    `--advertise-address=${addresses.controlPlane}`,
    `--cert-dir=${join(folder, 'certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--service-cluster-ip-range=${addresses.services}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    // the name of a node is nobody's to resolve here
    '--kubelet-preferred-address-types=InternalIP',
    '--allow-privileged',
    `--token-auth-file=${list}`,
  ]);
}

async function controllerManager(plane: Plane, kubeconfig: string): Promise<Child> {
  return plane.machine.start('kube-controller-manager', [
    goProgramPath('kube-controller-manager'),
    `--kubeconfig=${kubeconfig}`,
    '--use-service-account-credentials',
    '--enable-hostpath-provisioner',
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    `--service-account-private-key-file=${join(plane.folder, 'accounts.key')}`,
    `--root-ca-file=${certificateOf(plane.folder)}`,
  ]);
}

function scheduler({ machine }: Plane, kubeconfig: string): Child {
  return machine.start('kube-scheduler', [
    goProgramPath('kube-scheduler'),
    `--kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
  ]);
}

/**
 * Starts etcd, kube-apiserver, kube-controller-manager and kube-scheduler in the network, one after the other.
 * @param ready whether the API server answers as it should
 */
export async function startPlane(
  plane: Plane,
  ready: () => Promise<boolean>,
  limit: number,
): Promise<readonly Child[]> {
  const { clock, machine, folder } = plane;
  const children: Child[] = [];
  const up = async (child: Child, probe: () => Promise<boolean>) => {
    children.push(child);
    await untilReady(clock, child, probe, limit);
  };
  await up(etcd(plane), () => answers(machine, 2379));
  await up(await apiserver(plane), ready);
  for (const [user, port, start] of [
    ['system:kube-controller-manager', 10257, controllerManager],
    ['system:kube-scheduler', 10259, scheduler],
  ] as const) {
    const file = join(folder, `${user.replace(/^.*:/, '')}.kubeconfig`);
    await writeFile(file, await kubeconfigOf(plane, user, `https://${addresses.controlPlane}:6443`), { mode: 0o600 });
    await up(await start(plane, file), () => answers(machine, port));
  }
  return children;
}
