import type { HostAlias } from '@coxswain/k8s';

/** How a pod is called. */
export interface PodNames {
  readonly hostname: string;
  /** `subdomain.namespace.svc.cluster.local`; empty without a subdomain. */
  readonly domain: string;
}

function aliasLines(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return '';
  const lines = aliases.map(({ ip, hostnames = [] }) => [ip, ...hostnames].join('\t'));
  return `\n# Entries added by HostAliases.\n${lines.join('\n')}\n`;
}

/** The `/etc/hosts` of a pod with addresses of its own, as a kubelet writes it. */
export function podHosts(addresses: readonly string[], names: PodNames, aliases: readonly HostAlias[]): string {
  const { hostname, domain } = names;
  const own = addresses.map((ip) => (domain ? `${ip}\t${hostname}.${domain}\t${hostname}` : `${ip}\t${hostname}`));
  const fixed = [
    '# Kubernetes-managed hosts file.',
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    'fe00::0\tip6-localnet',
    'fe00::0\tip6-mcastprefix',
    'fe00::1\tip6-allnodes',
    'fe00::2\tip6-allrouters',
  ];
  return `${[...fixed, ...own].join('\n')}\n${aliasLines(aliases)}`;
}

/** The `/etc/hosts` of a pod that shares the machine's network. @param machine the machine's own file */
export function hostNetworkHosts(machine: string, aliases: readonly HostAlias[]): string {
  return `# Kubernetes-managed hosts file (host network).\n${machine}${aliasLines(aliases)}`;
}
