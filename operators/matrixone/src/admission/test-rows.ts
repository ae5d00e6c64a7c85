// Every row of what admission refuses, with the smallest object that breaks it. Not exported.
import type { KubeObject } from '@coxswain/k8s';
import type { Resource } from '@coxswain/schema';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet, WebUI } from '../api/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One rule, and an object that breaks it. */
export interface Row {
  readonly rule: string;
  readonly kind: Resource;
  /** Merged over the valid object of the kind, at the root; `null` takes a field away. */
  readonly change: Fields;
  /** Present: the object is stored so first, and `change` is an update. */
  readonly from?: Fields;
  readonly name?: string;
  readonly field: string;
  /** The end of what the server says. */
  readonly says: string;
  /** Who refuses: the CRD alone, or the webhook too. */
  readonly by: 'crd' | 'webhook';
}

const podSet = { replicas: 1, image: 'mo:2.1.0' };
const logService = { ...podSet, replicas: 3, volume: { size: '10Gi' }, sharedStorage: { s3: { path: 'lake/x' } } };
const logSet = { metadata: { name: 'mo' } };

/** Merges `change` over `base`, member by member; `null` takes away. */
export function merged(base: unknown, change: unknown): unknown {
  const isFields = (value: unknown): value is Fields =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isFields(base) || !isFields(change)) return change;
  const all = { ...base, ...Object.fromEntries(Object.entries(change).map(([k, v]) => [k, merged(base[k], v)])) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** A valid object of each kind that has rules. */
export const valid: ReadonlyMap<Resource, Fields> = new Map<Resource, Fields>([
  [MatrixOneCluster as Resource, { spec: { version: '2.1.0', logService, tn: { replicas: 1 } } }],
  [LogSet as Resource, { spec: logService }],
  [DNSet as Resource, { spec: podSet, deps: { logSet } }],
  [CNSet as Resource, { spec: podSet, deps: { logSet, dnSet: logSet } }],
  [ProxySet as Resource, { spec: podSet, deps: { logSet } }],
  [WebUI as Resource, { spec: podSet }],
]);

/** The object that a row is about. */
export function objectOf({ kind }: Pick<Row, 'kind'>, name: string, namespace: string, change: Fields): KubeObject {
  const object = merged(valid.get(kind), change) as Fields;
  return { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name, namespace }, ...object };
}

const deps = 'one of deps.logSet or deps.externalLogSet must be set';
const percent = 'memoryLimitPercent value must be in interval (0, 100]';
const noSize = 'size must not be zero';
const smaller = 'volume size cannot be decreased';
const otherClass = 'storageClassName is immutable';
const noVersion = 'a valid semanticVersion must be set or the image tag must be valid sematic version instead';
const storage = { s3: null, fileSystem: null };

type Short = readonly [
  rule: string,
  change: Fields,
  field: string,
  says: string,
  by: Row['by'],
  more?: Pick<Row, 'from' | 'name'>,
];

const spec = (change: Fields): Fields => ({ spec: change });
const cacheFrom = { from: spec({ cacheVolume: { size: '2Gi', storageClassName: 'a' } }) };

const ofPodSet: readonly Short[] = [
  [
    'clusterDomain',
    spec({ clusterDomain: 'a_b' }),
    'spec.clusterDomain',
    'must be a fully qualified domain name',
    'webhook',
  ],
  ['image', spec({ image: '' }), 'spec.image', 'image must be set', 'webhook'],
  ['nodeSelector', spec({ nodeSelector: { 'a b': 'c' } }), 'spec.nodeSelector', "[A-Za-z0-9]')", 'webhook'],
  [
    'resources',
    spec({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    'spec.resources.requests.cpu',
    'must be less than or equal to the limit 1',
    'webhook',
  ],
  ['semanticVersion', spec({ image: 'mo:nightly' }), 'spec.semanticVersion', noVersion, 'webhook'],
  [
    'promDiscoveryScheme unknown',
    spec({ exportToPrometheus: true, promDiscoveryScheme: 'Push' }),
    'spec.promDiscoveryScheme',
    'invalid PromDiscoveryScheme, must be Pod or Service',
    'webhook',
  ],
  [
    'overlay.terminationGracePeriodSeconds',
    spec({ overlay: { terminationGracePeriodSeconds: -1 } }),
    'spec.overlay.terminationGracePeriodSeconds',
    'must be greater than 0',
    'webhook',
  ],
];

const initial = 'spec.initialConfig';
const ofLogSet: readonly Short[] = [
  ['volume.size', spec({ volume: { size: '0' } }), 'spec.volume.size', noSize, 'crd'],
  [
    'logShardReplicas unset',
    spec({ initialConfig: { logShardReplicas: 0 } }),
    `${initial}.logShardReplicas`,
    'logShardReplicas must be set',
    'webhook',
  ],
  [
    'logShardReplicas above replicas',
    spec({ initialConfig: { logShardReplicas: 4 } }),
    `${initial}.logShardReplicas`,
    'logShardReplicas must not larger then logservice replicas',
    'crd',
  ],
  [
    'logShards unset',
    spec({ initialConfig: { logShards: 0 } }),
    `${initial}.logShards`,
    'logShards must be set',
    'webhook',
  ],
  [
    'dnShards unset',
    spec({ initialConfig: { dnShards: 0 } }),
    `${initial}.dnShards`,
    'dnShards must be set',
    'webhook',
  ],
  [
    'no storage',
    spec({ sharedStorage: storage }),
    'spec.sharedStorage',
    'no shared storage provider configured',
    'crd',
  ],
  [
    'two storages',
    spec({ sharedStorage: { fileSystem: { path: '/x' } } }),
    'spec.sharedStorage',
    'more than 1 storage provider configured',
    'crd',
  ],
  [
    'S3 path',
    spec({ sharedStorage: { s3: { path: '' } } }),
    'spec.sharedStorage',
    'path must be set for S3 storage',
    'crd',
  ],
  [
    'file-system path',
    spec({ sharedStorage: { ...storage, fileSystem: { path: '' } } }),
    'spec.sharedStorage',
    'path must be set for file-system storage',
    'crd',
  ],
  ['memoryLimitPercent', spec({ memoryLimitPercent: 101 }), 'spec.memoryLimitPercent', percent, 'crd'],
  [
    'update initialConfig',
    spec({ initialConfig: { logShards: 2 } }),
    initial,
    'initialConfig is immutable',
    'crd',
    { from: spec({ initialConfig: { logShards: 1 } }) },
  ],
  [
    'update initialConfig of an object without',
    spec({ initialConfig: { logShards: 2 } }),
    initial,
    'initialConfig is immutable',
    'webhook',
    { from: {} },
  ],
  [
    'update S3 path',
    spec({ sharedStorage: { s3: { path: 'lake/y' } } }),
    'spec.sharedStorage.s3',
    'sharedStorage.s3 is immutable',
    'crd',
    { from: {} },
  ],
  [
    'update S3 secret',
    spec({ sharedStorage: { s3: { secretRef: { name: 'b' } } } }),
    'spec.sharedStorage.s3',
    'sharedStorage.s3 is immutable',
    'crd',
    { from: spec({ sharedStorage: { s3: { secretRef: { name: 'a' } } } }) },
  ],
  [
    'update S3 retention',
    spec({ sharedStorage: { s3: { s3RetentionPolicy: 'Delete' } } }),
    'spec.sharedStorage.s3',
    'sharedStorage.s3 is immutable',
    'crd',
    { from: spec({ sharedStorage: { s3: { s3RetentionPolicy: 'Retain' } } }) },
  ],
  [
    'update from S3 to a file system',
    spec({ sharedStorage: { ...storage, fileSystem: { path: '/x' } } }),
    'spec.sharedStorage.s3',
    'sharedStorage.s3 is immutable',
    'crd',
    { from: {} },
  ],
  [
    'update volume.storageClassName',
    spec({ volume: { storageClassName: 'b' } }),
    'spec.volume.storageClassName',
    otherClass,
    'crd',
    { from: spec({ volume: { storageClassName: 'a' } }) },
  ],
  ['update volume.size', spec({ volume: { size: '9Gi' } }), 'spec.volume.size', smaller, 'crd', { from: {} }],
];

const ofBoth: readonly Short[] = [
  ['no deps', { deps: null }, 'deps', deps, 'crd'],
  ['deps without a log service', { deps: { logSet: null } }, 'deps', deps, 'crd'],
  ['cacheVolume.size', spec({ cacheVolume: { size: 0 } }), 'spec.cacheVolume.size', noSize, 'crd'],
  ['memoryLimitPercent', spec({ memoryLimitPercent: 0 }), 'spec.memoryLimitPercent', percent, 'crd'],
  [
    'update cacheVolume.size',
    spec({ cacheVolume: { size: '1Gi', storageClassName: 'a' } }),
    'spec.cacheVolume.size',
    smaller,
    'crd',
    cacheFrom,
  ],
  [
    'update cacheVolume.storageClassName',
    spec({ cacheVolume: { size: '2Gi', storageClassName: 'b' } }),
    'spec.cacheVolume.storageClassName',
    otherClass,
    'crd',
    cacheFrom,
  ],
];

const ofDNSet: readonly Short[] = [
  [
    'config',
    spec({ config: '[tn]\n[dn]\n' }),
    'spec.config',
    '[tn] and [dn] cannot be set at the same time',
    'webhook',
  ],
];

const ofCNSet: readonly Short[] = [
  [
    'serviceType',
    spec({ serviceType: 'ExternalName' }),
    'spec.serviceType',
    'supported values: "ClusterIP", "NodePort", "LoadBalancer"',
    'crd',
  ],
  ['nodePort', spec({ nodePort: 31000 }), 'spec.nodePort', 'cannot set node port when serviceType is ClusterIP', 'crd'],
  [
    'cnLabels key',
    spec({ cnLabels: [{ key: '', values: ['a'] }] }),
    'spec.cnLabels[0].key',
    'label key cannot be empty',
    'webhook',
  ],
  [
    'cnLabels values',
    spec({ cnLabels: [{ key: 'a' }] }),
    'spec.cnLabels[0].values',
    'label values cannot be empty',
    'webhook',
  ],
  [
    'cnLabels value',
    spec({ cnLabels: [{ key: 'a', values: ['b', ''] }] }),
    'spec.cnLabels[0].values[1]',
    'label value cannot be empty string',
    'webhook',
  ],
  [
    'update operatorVersion',
    spec({ operatorVersion: '1.2.0' }),
    'spec.operatorVersion',
    'new operatorVersion must be greater than or equal to the oldVersion',
    'webhook',
    { from: spec({ operatorVersion: '1.3.0' }) },
  ],
];

const log = 'spec.logService';
const group = (name: string, more: Fields = {}) => ({ name, replicas: 1, ...more });
const ofCluster: readonly Short[] = [
  [
    'metadata.name length',
    {},
    'metadata.name',
    'must be no more than 46 characters',
    'webhook',
    { name: 'a'.repeat(47) },
  ],
  ['metadata.name', {}, 'metadata.name', 'only lower case letters, digits and hyphens', 'webhook', { name: '1mo' }],
  ['no tn', spec({ tn: null }), 'spec.tn', '.spec.tn must be set', 'crd'],
  [
    'tn and dn',
    spec({ dn: { replicas: 1 } }),
    'spec.dn',
    'legacy component .spec.dn cannot be set when .spec.tn is set',
    'crd',
  ],
  ['log service volume', spec({ logService: { volume: { size: '0' } } }), `${log}.volume.size`, noSize, 'crd'],
  [
    'log service storage',
    spec({ logService: { sharedStorage: storage } }),
    `${log}.sharedStorage`,
    'no shared storage provider configured',
    'crd',
  ],
  ['tn cacheVolume', spec({ tn: { cacheVolume: { size: '0' } } }), 'spec.tn.cacheVolume.size', noSize, 'crd'],
  [
    'dn config',
    spec({ tn: null, dn: { replicas: 1, config: '[tn]\n[dn]\n' } }),
    'spec.dn.config',
    '[tn] and [dn] cannot be set at the same time',
    'webhook',
  ],
  [
    'tp nodePort',
    spec({ tp: { replicas: 1, nodePort: 31000 } }),
    'spec.tp.nodePort',
    'cannot set node port when serviceType is ClusterIP',
    'crd',
  ],
  [
    'ap cnLabels',
    spec({ ap: { replicas: 1, cnLabels: [{ key: 'a' }] } }),
    'spec.ap.cnLabels[0].values',
    'label values cannot be empty',
    'webhook',
  ],
  [
    'cnGroups memoryLimitPercent',
    spec({ cnGroups: [group('a', { memoryLimitPercent: 101 })] }),
    'spec.cnGroups[0].memoryLimitPercent',
    percent,
    'crd',
  ],
  [
    'cnGroups name',
    spec({ cnGroups: [group('a_b')] }),
    'spec.cnGroups[0].name',
    'services are named after it',
    'webhook',
  ],
  [
    'cnGroups name of tp',
    spec({ cnGroups: [group('tp')], tp: { replicas: 1 } }),
    'spec.cnGroups[0].name',
    'name must be unique',
    'webhook',
  ],
  ['cnGroups name twice', spec({ cnGroups: [group('a'), group('a')] }), 'spec.cnGroups[1]', '{"name":"a"}', 'crd'],
  ['no version', spec({ version: '' }), 'spec.version', 'version must be set', 'crd'],
  [
    'version that is none',
    spec({ version: 'nightly', logService: { image: null } }),
    'spec.semanticVersion',
    noVersion,
    'webhook',
  ],
  [
    'update log service S3',
    spec({ logService: { sharedStorage: { s3: { path: 'lake/y' } } } }),
    `${log}.sharedStorage.s3`,
    'sharedStorage.s3 is immutable',
    'crd',
    { from: {} },
  ],
  [
    'update log service initialConfig',
    spec({ logService: { initialConfig: { dnShards: 2 } } }),
    `${log}.initialConfig`,
    'initialConfig is immutable',
    'crd',
    { from: spec({ logService: { initialConfig: { dnShards: 1 } } }) },
  ],
  ...[
    ['update restoreFrom', 'b', spec({ restoreFrom: 'a' })] as const,
    ['update restoreFrom from nothing', 'b', {}] as const,
    ['update restoreFrom to nothing', null, spec({ restoreFrom: 'a' })] as const,
  ].map(
    ([rule, restoreFrom, from]): Short => [
      rule,
      spec({ restoreFrom }),
      'spec.restoreFrom',
      'restoreFrom is immutable',
      'crd',
      { from },
    ],
  ),
];

const ofWebUI: readonly Short[] = [
  [
    'promDiscoveryScheme unset',
    spec({ exportToPrometheus: true }),
    'spec.promDiscoveryScheme',
    'ExportToPrometheus is enabled but PromDiscoveryScheme is not provided',
    'webhook',
  ],
];

const table: readonly (readonly [Resource, readonly Short[]])[] = [
  [LogSet as Resource, [...ofPodSet, ...ofLogSet]],
  [DNSet as Resource, [...ofPodSet, ...ofBoth, ...ofDNSet]],
  [CNSet as Resource, [...ofPodSet, ...ofBoth, ...ofCNSet]],
  [WebUI as Resource, [...ofPodSet, ...ofWebUI]],
  [MatrixOneCluster as Resource, ofCluster],
];

/** All rows. */
export const rows: readonly Row[] = [
  ...table.flatMap(([kind, shorts]) =>
    shorts.map(([rule, change, field, says, by, more]) => ({ rule, kind, change, field, says, by, ...more })),
  ),
  {
    rule: 'update semanticVersion',
    kind: CNSet as Resource,
    change: spec({ image: 'mo:nightly' }),
    from: {},
    field: 'spec.semanticVersion',
    says: noVersion,
    by: 'webhook',
  },
];
