import { access } from 'node:fs/promises';
import type { GoProgram } from '../go-programs/index.ts';

/** Programs of Kubernetes and around it that a real cluster consists of. */
export const realPrograms = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'containerd',
  'containerd-shim-runc-v2',
  'ctr',
] as const satisfies readonly GoProgram[];

/** Where Debian has its plug-ins for the network of containers. */
export const cniFolder = '/usr/lib/cni';

/** Programs of the distribution, with the package of Debian that brings them. */
const needed: Readonly<Record<string, string>> = {
  '/usr/sbin/runc': 'runc',
  '/usr/sbin/nft': 'nftables',
  '/usr/sbin/conntrack': 'conntrack',
  '/usr/sbin/iptables': 'iptables',
  '/usr/bin/socat': 'socat',
  [`${cniFolder}/bridge`]: 'containernetworking-plugins',
  '/bin/busybox': 'busybox-static',
};

/** What of the machine is missing for a real cluster, as packages and as sentences; empty when it can be started. */
export async function missingForRealCluster(): Promise<readonly string[]> {
  const missing: string[] = [];
  if (process.platform !== 'linux' || process.getuid?.() !== 0) missing.push('Linux, as root');
  for (const [path, name] of Object.entries({ ...needed, '/sys/fs/cgroup/memory': 'cgroups of version 1' }))
    await access(path).catch(() => missing.push(name));
  return missing;
}
