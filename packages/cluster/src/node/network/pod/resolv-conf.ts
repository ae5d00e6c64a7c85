import type { Pod } from '@coxswain/k8s';

/** What a `resolv.conf` says. */
export interface ResolverSettings {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  /** Such as `ndots:5`. */
  readonly options: readonly string[];
}

export interface PodResolver extends ResolverSettings {
  /** What was left out because the file has no room for it, in words for an event of the pod. */
  readonly omitted: readonly string[];
}

const most = { servers: 3, searches: 32, characters: 2048, ofOneSearch: 253 };

/** Reads a `resolv.conf`: servers add up, of searches the last line counts. */
export function parseResolvConf(text: string): ResolverSettings {
  const servers: string[] = [];
  let searches: string[] = [];
  const options = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'nameserver' && rest[0]) servers.push(rest[0]);
    if (word === 'search') searches = rest.filter((name) => name !== '.').map((name) => name.replace(/\.$/, ''));
    if (word === 'options') for (const option of rest) options.set(option.split(':')[0] ?? '', option);
  }
  return { servers, searches, options: [...options.values()] };
}

function basis(pod: Pod, machine: ResolverSettings, clusterServer: string | undefined): ResolverSettings {
  const { dnsPolicy = 'ClusterFirst', hostNetwork = false } = pod.spec ?? {};
  if (dnsPolicy === 'None') return { servers: [], searches: [], options: [] };
  const asMachine = dnsPolicy === 'Default' || (dnsPolicy === 'ClusterFirst' && hostNetwork);
  if (asMachine) return machine;
  const own = [`${pod.metadata.namespace}.svc.cluster.local`, 'svc.cluster.local', 'cluster.local'];
  return {
    servers: clusterServer === undefined ? machine.servers : [clusterServer],
    searches: [...own, ...machine.searches],
    options: ['ndots:5'],
  };
}

/**
 * How a pod looks names up: as its `dnsPolicy` and `dnsConfig` say.
 * @param machine what this machine's own file says
 * @param clusterServer address of the cluster's name server, if there is one
 */
export function podResolver(pod: Pod, machine: ResolverSettings, clusterServer: string | undefined): PodResolver {
  const start = basis(pod, machine, clusterServer);
  const { nameservers = [], searches: more = [], options: wishes = [] } = pod.spec?.dnsConfig ?? {};
  const options = new Map(start.options.map((option) => [option.split(':')[0] ?? '', option]));
  for (const { name = '', value } of wishes) options.set(name, value ? `${name}:${value}` : name);
  const servers = [...new Set([...start.servers, ...nameservers])];
  const searches = [...new Set([...start.searches, ...more])];
  const keptServers = servers.slice(0, most.servers);
  const keptSearches = fitting(searches);
  const omitted: string[] = [];
  if (keptServers.length < servers.length) {
    omitted.push(
      `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${keptServers.join(' ')}`,
    );
  }
  if (keptSearches.length < searches.length) {
    omitted.push(
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${keptSearches.join(' ')}`,
    );
  }
  return { servers: keptServers, searches: keptSearches, options: [...options.values()], omitted };
}

function fitting(searches: readonly string[]): string[] {
  const kept = searches.slice(0, most.searches).filter((name) => name.length <= most.ofOneSearch);
  while (kept.join(' ').length > most.characters) kept.pop();
  return kept;
}

export function formatResolvConf({ servers, searches, options }: ResolverSettings): string {
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...servers.map((server) => `nameserver ${server}`),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
