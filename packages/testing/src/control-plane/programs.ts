import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@coxswain/runtime/core';
import { goProgramPath } from '../go-programs/index.ts';
import { type Child, startChild } from './child.ts';

/** Everything the programs of a control plane are told, to be started. */
export interface PlaneSettings {
  readonly clock: Clock;
  /** Where they keep what they have. */
  readonly folder: string;
  readonly ports: { readonly etcd: number; readonly peer: number; readonly server: number };
  /** Tokens by the names of users; the administrator's group is `system:masters`. */
  readonly tokens: Readonly<Record<string, { readonly token: string; readonly group?: string }>>;
  readonly admissionPlugins: readonly string[];
  readonly serviceRange: string;
  /** Where the API server is found by others than this machine; absent: nowhere. */
  readonly address: string | undefined;
  /** Flags of kube-apiserver besides. */
  readonly flags: readonly string[];
}

const keyOf = (folder: string) => join(folder, 'accounts.key');
const tokensOf = (folder: string) => join(folder, 'tokens.csv');

/** Where kube-apiserver puts the certificate that it makes itself, which is its own authority. */
export const certificateOf = (folder: string): string => join(folder, 'certs', 'apiserver.crt');

/** Writes the key of service accounts and the list of users. They outlive a crash of the API server. */
export async function writeSecrets({ folder, tokens }: PlaneSettings): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(keyOf(folder), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  const lines = Object.entries(tokens).map(([user, { token, group = '' }]) => `${token},${user},${user},${group}\n`);
  await writeFile(tokensOf(folder), lines.join(''), { mode: 0o600 });
}

export function startEtcd({ clock, folder, ports }: PlaneSettings): Child {
  const clientUrl = `http://127.0.0.1:${ports.etcd}`;
  const peerUrl = `http://127.0.0.1:${ports.peer}`;
  return startChild(clock, 'etcd', goProgramPath('etcd'), [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    '--log-level=error',
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ]);
}

export function startApiserver(settings: PlaneSettings): Child {
  const { clock, folder, ports, admissionPlugins, serviceRange, address, flags } = settings;
  return startChild(clock, 'kube-apiserver', goProgramPath('kube-apiserver'), [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--secure-port=${ports.server}`,
    ...(address === undefined
      ? ['--bind-address=127.0.0.1']
      : ['--bind-address=0.0.0.0', `--advertise-address=${address}`]),
    `--cert-dir=${join(folder, 'certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${keyOf(folder)}`,
    `--service-account-signing-key-file=${keyOf(folder)}`,
    `--service-cluster-ip-range=${serviceRange}`,
    '--authorization-mode=RBAC',
    '--allow-privileged',
    `--token-auth-file=${tokensOf(folder)}`,
    ...(admissionPlugins.length > 0 ? [`--enable-admission-plugins=${admissionPlugins.join(',')}`] : []),
    ...flags,
  ]);
}

/** @param kubeconfig a file, of a user who is kube-controller-manager */
export function startControllerManager({ clock, folder }: PlaneSettings, port: number, kubeconfig: string): Child {
  return startChild(clock, 'kube-controller-manager', goProgramPath('kube-controller-manager'), [
    `--kubeconfig=${kubeconfig}`,
    '--use-service-account-credentials',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--leader-elect=false',
    `--service-account-private-key-file=${keyOf(folder)}`,
    `--root-ca-file=${certificateOf(folder)}`,
  ]);
}
