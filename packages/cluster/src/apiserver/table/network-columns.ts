import type { DynamicObject } from '@coxswain/k8s';
import { listAt, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { selectorText } from '../builtin/shared/selectors.ts';
import type { Column } from '../types.ts';
import { age, column, labelsText, name, orNone, shortened, specOf, statusOf, wide } from './cells.ts';

function portsText(service: DynamicObject): string {
  const ports = objectsAt(specOf(service), 'ports').map((port) => {
    const node = Number(port.nodePort ?? 0);
    return `${String(port.port)}${node > 0 ? `:${node}` : ''}/${textAt(port, 'protocol')}`;
  });
  return orNone(ports.join(','));
}

function balancerAddresses(object: DynamicObject): readonly string[] {
  const ingress = objectsAt(objectAt(statusOf(object), 'loadBalancer'), 'ingress');
  const addresses = ingress.map((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
}

function externalIp(service: DynamicObject): string {
  const spec = specOf(service);
  const own = listAt(spec, 'externalIPs').map(String);
  switch (textAt(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(own.join(','));
    case 'LoadBalancer': {
      const all = [...balancerAddresses(service), ...own].join(',');
      return all === '' ? '<pending>' : all;
    }
    case 'ExternalName':
      return textAt(spec, 'externalName');
    default:
      return '<unknown>';
  }
}

function subsetAddresses(subset: ReadJson): readonly string[] {
  const addresses = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
  const ports = objectsAt(subset, 'ports');
  if (ports.length === 0) return addresses;
  const join = (address: string, port: unknown) =>
    address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return ports.flatMap((port) => addresses.map((address) => join(address, port.port)));
}

function slicePorts(slice: DynamicObject): string {
  const ports = objectsAt(slice, 'ports').map((port) => String(port.port ?? port.name ?? '*'));
  return shortened(ports, 3, '<unset>');
}

/** Columns of what leads traffic to pods, by `group/plural`. */
export const networkTables: Readonly<Record<string, readonly Column[]>> = {
  '/services': [
    name,
    column('Type', (object) => textAt(specOf(object), 'type')),
    column('Cluster-IP', (object) => orNone(String(listAt(specOf(object), 'clusterIPs')[0] ?? ''))),
    column('External-IP', externalIp),
    column('Port(s)', portsText),
    age,
    wide('Selector', (object) => labelsText(mapAt(specOf(object), 'selector'))),
  ],
  '/endpoints': [
    name,
    column('Endpoints', (object) => shortened(objectsAt(object, 'subsets').flatMap(subsetAddresses), 3, '<none>')),
    age,
  ],
  'discovery.k8s.io/endpointslices': [
    name,
    column('AddressType', (object) => textAt(object, 'addressType')),
    column('Ports', slicePorts),
    column('Endpoints', (object) => {
      const addresses = objectsAt(object, 'endpoints').flatMap((endpoint) => listAt(endpoint, 'addresses').map(String));
      return shortened(addresses, 3, '<unset>');
    }),
    age,
  ],
  'networking.k8s.io/ingresses': [
    name,
    column('Class', (object) => orNone(textAt(specOf(object), 'ingressClassName'))),
    column('Hosts', (object) => {
      const hosts = objectsAt(specOf(object), 'rules').map((rule) => textAt(rule, 'host'));
      return shortened(
        hosts.filter((host) => host !== ''),
        3,
        '*',
      );
    }),
    column('Address', (object) => balancerAddresses(object).join(',')),
    column('Ports', (object) => (listAt(specOf(object), 'tls').length > 0 ? '80, 443' : '80')),
    age,
  ],
  'networking.k8s.io/ingressclasses': [
    name,
    column('Controller', (object) => textAt(specOf(object), 'controller')),
    column('Parameters', (object) => {
      const parameters = objectAt(specOf(object), 'parameters');
      if (!parameters) return '<none>';
      const group = textAt(parameters, 'apiGroup');
      return `${textAt(parameters, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(parameters, 'name')}`;
    }),
    age,
  ],
  'networking.k8s.io/networkpolicies': [
    name,
    column('Pod-Selector', (object) => orNone(selectorText(objectAt(specOf(object), 'podSelector')))),
    age,
  ],
  'networking.k8s.io/servicecidrs': [name, column('CIDRs', (object) => listAt(specOf(object), 'cidrs').join(',')), age],
  'networking.k8s.io/ipaddresses': [
    name,
    column('ParentRef', (object) => {
      const parent = objectAt(specOf(object), 'parentRef');
      if (!parent) return '<none>';
      const group = textAt(parent, 'group');
      const resource = `${textAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`;
      return [resource, textAt(parent, 'namespace'), textAt(parent, 'name')].filter((part) => part !== '').join('/');
    }),
  ],
};
