import type { KubeObject, StorageClass } from '@coxswain/k8s';

/** Host and port that programs in the cluster reach the API server at. */
export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
  /** Of the Service that leads there; default 443. */
  readonly servicePort?: number;
}

/** An object the cluster starts with, without what the server stamps. `resource` is `group/plural`. */
export interface BootstrapObject {
  readonly resource: string;
  readonly object: KubeObject & Readonly<Record<string, unknown>>;
}

function namespaceOf(name: string): BootstrapObject {
  return { resource: '/namespaces', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } };
}

function priorityClassOf(name: string, value: number, description: string): BootstrapObject {
  return {
    resource: 'scheduling.k8s.io/priorityclasses',
    object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description },
  };
}

/** The class of claims that name none. */
export const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'coxswain.io/embedded',
  reclaimPolicy: 'Delete',
  allowVolumeExpansion: true,
  volumeBindingMode: 'WaitForFirstConsumer',
} as const satisfies StorageClass;

/** What every cluster has, in the order of creation: a namespace comes before what lives in it. */
export const commonObjects: readonly BootstrapObject[] = [
  ...['kube-system', 'kube-public', 'kube-node-lease', 'default'].map(namespaceOf),
  priorityClassOf('system-node-critical', 2_000_001_000, 'For pods a node cannot do without.'),
  priorityClassOf('system-cluster-critical', 2_000_000_000, 'For pods the cluster cannot do without.'),
  { resource: 'storage.k8s.io/storageclasses', object: storageClass },
];

const serviceMetadata = { name: 'kubernetes', namespace: 'default' };

/** `default/kubernetes`: the API server as a service of its own cluster. @param clusterIP the first address of the range */
export function serverService({ port, servicePort = 443 }: ServerAddress, clusterIP: string): BootstrapObject {
  return {
    resource: '/services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...serviceMetadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        clusterIP,
        ports: [{ name: 'https', port: servicePort, protocol: 'TCP', targetPort: port }],
        sessionAffinity: 'None',
        type: 'ClusterIP',
      },
    },
  };
}

/** Where that service leads: as Endpoints and as EndpointSlice. */
export function serverEndpoints({ ip, port }: ServerAddress): readonly BootstrapObject[] {
  return [
    {
      resource: '/endpoints',
      object: {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { ...serviceMetadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
        subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
      },
    },
    {
      resource: 'discovery.k8s.io/endpointslices',
      object: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { ...serviceMetadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: [ip], conditions: { ready: true } }],
        ports: [{ name: 'https', port, protocol: 'TCP' }],
      },
    },
  ];
}
