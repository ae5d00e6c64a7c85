import type { Service } from '@coxswain/k8s';
import { type ClusterNames, zone } from '../dns/names.ts';

function namesOf(full: string, own: boolean): string {
  const short = full.slice(0, -'.svc'.length);
  const [bare = ''] = own ? [short.slice(0, short.lastIndexOf('.'))] : [];
  return [`${full}.${zone}`, full, short, ...(own ? [bare] : [])].join('\t');
}

/**
 * The names of all Services as lines of a hosts file, in all forms in which a pod of the namespace may say them: for machines on which
 * no name server can be had. What hosts files cannot say is not there: ports, aliases, names made of addresses.
 */
export function clusterHosts(services: Iterable<Service>, names: ClusterNames, namespace: string): string {
  const lines: string[] = [];
  for (const { metadata } of services) {
    const full = `${metadata.name}.${metadata.namespace}.svc`;
    const own = metadata.namespace === namespace;
    const add = (name: string) => {
      const found = names.find(`${name}.${zone}`);
      for (const record of found.kind === 'records' ? found.records : []) {
        if (record.type === 'A') lines.push(`${record.address}\t${namesOf(name, own)}`);
        if (record.type === 'SRV' && name === full && record.target !== `${full}.${zone}`) {
          add(record.target.slice(0, -zone.length - 1));
        }
      }
    };
    add(full);
  }
  return lines.length === 0 ? '' : `# Services of the cluster.\n${[...new Set(lines)].sort().join('\n')}\n`;
}
