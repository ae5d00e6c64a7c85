import type { CNSet } from './cnset.ts';
import type { DNSet } from './dnset.ts';
import type { LogSet } from './logset.ts';
import type { MatrixOneCluster } from './matrixonecluster.ts';
import type { ProxySet } from './proxyset.ts';

export type LogSetSpec = LogSet['spec'];
export type DNSetSpec = DNSet['spec'];
export type CNSetSpec = CNSet['spec'];
export type ProxySetSpec = ProxySet['spec'];
export type MatrixOneClusterSpec = MatrixOneCluster['spec'];
export type CNGroup = NonNullable<MatrixOneClusterSpec['cnGroups']>[number];
export type SharedStorage = LogSetSpec['sharedStorage'];
export type S3Storage = NonNullable<SharedStorage['s3']>;
export type StorageCache = NonNullable<DNSetSpec['sharedStorageCache']>;
export type DataVolume = LogSetSpec['volume'];
export type CNLabel = NonNullable<CNSetSpec['cnLabels']>[number];

/** The part that all sets of pods share. */
export type PodSetSpec = Pick<
  LogSetSpec,
  | 'replicas'
  | 'image'
  | 'resources'
  | 'overlay'
  | 'topologySpread'
  | 'nodeSelector'
  | 'config'
  | 'dnsBasedIdentity'
  | 'clusterDomain'
  | 'serviceArgs'
  | 'memoryLimitPercent'
  | 'exportToPrometheus'
  | 'promDiscoveryScheme'
  | 'semanticVersion'
  | 'operatorVersion'
  | 'memoryFsSize'
>;

/** One of the kinds that own pods. */
export type SetKind = 'LogSet' | 'DNSet' | 'CNSet' | 'ProxySet';
