import type { Call } from './context.ts';

/** Where the real server keeps kinds that are not under their plural. */
const folders: Readonly<Record<string, string>> = {
  '/nodes': 'minions',
  '/services': 'services/specs',
  '/endpoints': 'services/endpoints',
  '/replicationcontrollers': 'controllers',
  'networking.k8s.io/ingresses': 'ingress',
};

/** The key under which the real server has an object in etcd, which some of its messages show. */
export function etcdKey({ resource, namespace, name }: Call): string {
  const grouped = !resource.builtIn || /^api(extensions|registration)\.k8s\.io$/.test(resource.group);
  const plural = grouped ? `${resource.group}/${resource.plural}` : resource.plural;
  const folder = folders[`${resource.group}/${resource.plural}`] ?? plural;
  return ['/registry', folder, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
