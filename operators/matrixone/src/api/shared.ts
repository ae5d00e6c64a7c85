import type { ResourceRequirements } from '@coxswain/k8s';
import { s } from '@coxswain/schema';
import type { MainContainerOverlay, Overlay } from './overlay.ts';

/** A reference as it is stored in `deps`: only name and namespace matter, live objects hold whole zero-valued objects. */
export interface ObjectDependency {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

const resources = () =>
  s
    .k8s<ResourceRequirements>('io.k8s.api.core.v1.ResourceRequirements')
    .describe('What the main container requests, and its limits.');

/** Bounds that no valid value reaches; without them the server has to take the rules for too expensive. */
const longestQuantity = 64;
const longestName = 253;

export const volume = s
  .object({
    size: s
      .quantity()
      .with({ maxLength: longestQuantity })
      .describe('Size of the volume; may only grow.')
      .rule('quantity(string(self)).isGreaterThan(quantity("0"))', 'size must not be zero')
      .rule('quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0', 'volume size cannot be decreased'),
    storageClassName: s
      .string()
      .maxLength(longestName)
      .optional()
      .describe('Immutable once set. Default: the class of the Kubernetes cluster.')
      .immutable('storageClassName is immutable'),
    memoryCacheSize: s.quantity().optional().describe('Deprecated and ignored; use sharedStorageCache.'),
  })
  .describe('A volume that each pod gets of its own.');

export const s3 = s.object({
  path: s.string().describe('Bucket and prefix: "bucket/prefix".'),
  type: s.string().optional().describe('"aws" or "minio". Default "aws".'),
  region: s.string().optional().describe('Region of the bucket. Default us-west-2.'),
  endpoint: s.string().optional().describe('Default: the endpoint of AWS us-west-2.'),
  secretRef: s
    .object({ name: s.string().optional().describe('Name of the Secret.') })
    .atomic()
    .optional()
    .describe('Secret with the keys AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'),
  certificateRef: s
    .object({
      name: s.string().describe('Name of the Secret.'),
      files: s.list(s.string()).describe('Its keys that hold certificates.'),
    })
    .optional()
    .describe('Secret with certificates to trust, and the keys to mount from it.'),
  s3RetentionPolicy: s
    .enum('Delete', 'Retain')
    .optional()
    .describe('What happens to the data when the cluster is deleted. Default: pvcRetentionPolicy, else Delete.'),
});

export const sharedStorage = s
  .object({
    s3: s3.optional().describe('A path in a bucket.'),
    fileSystem: s
      .object({ path: s.string().describe('The path, the same in all pods; overlay mounts something there.') })
      .optional()
      .describe('A path that all pods share.'),
  })
  .rule('has(self.s3) || has(self.fileSystem)', 'no shared storage provider configured')
  .rule('!(has(self.s3) && has(self.fileSystem))', 'more than 1 storage provider configured')
  .rule('!has(self.s3) || self.s3.path != ""', 'path must be set for S3 storage')
  .rule('!has(self.fileSystem) || self.fileSystem.path != ""', 'path must be set for file-system storage');

export const sharedStorageCache = s.object({
  memoryCacheSize: s.quantity().optional().describe('Default: half the requested memory.'),
  diskCacheSize: s.quantity().optional().describe('Default: 90 % of the cache volume.'),
});

export const updateStrategy = s.object({
  maxSurge: s.intOrString().optional().describe('Default 1.'),
  maxUnavailable: s.intOrString().optional().describe('Default 0.'),
});

const serviceTypes = ['ClusterIP', 'NodePort', 'LoadBalancer'] as const;

/** How a set's service is published: shared by CNSet and ProxySet. */
export const serviceFields = {
  serviceType: s
    .enum(...serviceTypes)
    .default('ClusterIP')
    .describe('Type of the Service that clients connect to.'),
  serviceAnnotations: s.map(s.string()).optional().describe('Annotations of that Service.'),
  nodePort: s.int32().optional().describe('Only with serviceType NodePort or LoadBalancer.'),
};

/** Fields that every set of pods has, besides `replicas`. */
export const podSetFields = {
  image: s
    .string()
    .optional()
    .describe('Required on the sets; inside a MatrixOneCluster it defaults to repository and version.'),
  resources: resources().optional(),
  overlay: s.any<Overlay>().optional().describe('Fields laid over the generated pod template.'),
  topologySpread: s.list(s.string()).optional().describe('Topology keys over which the pods are spread evenly.'),
  nodeSelector: s.map(s.string()).optional().describe('Labels that a node must have to run the pods.'),
  config: s.string().optional().describe('TOML, merged below what the operator sets.'),
  dnsBasedIdentity: s.boolean().optional().describe('Deprecated.'),
  clusterDomain: s.string().optional().describe('Domain of the Kubernetes cluster, where names of pods need one.'),
  serviceArgs: s.list(s.string()).optional().describe('Arguments of the service. Default: those of the operator.'),
  memoryLimitPercent: s
    .int()
    .optional()
    .describe('Percent of the memory limit given to the Go runtime, (0, 100].')
    .rule('self > 0 && self <= 100', 'memoryLimitPercent value must be in interval (0, 100]'),
  exportToPrometheus: s
    .boolean()
    .optional()
    .describe('Annotates Services or pods (promDiscoveryScheme) for Prometheus. Default false.'),
  promDiscoveryScheme: s.string().optional().describe('"Pod" or "Service". Default Service.'),
  semanticVersion: s.string().optional().describe('The version of MatrixOne when the image tag does not tell.'),
  operatorVersion: s.string().optional().describe('Behaviours of operators newer than this stay off. Default 1.2.0.'),
  memoryFsSize: s.quantity().optional().describe('Size of a memory file system that holds the binary.'),
};

/** The whole PodSet. */
export const podSet = { replicas: s.int32().describe('How many pods there are to be.'), ...podSetFields };

export const pythonUdfSidecar = s.object({
  enabled: s.boolean().optional().describe('Whether the sidecar runs. Default false.'),
  port: s.int().optional().describe('Default 50051.'),
  image: s.string().optional().describe('Image of the sidecar.'),
  resources: resources().optional(),
  overlay: s.any<MainContainerOverlay>().optional().describe('Fields laid over the container.'),
});

/** Where the log service is: one of the two. */
export const logSetRef = {
  logSet: s.anyObject<ObjectDependency>().optional().describe('The LogSet, by metadata.name and metadata.namespace.'),
  externalLogSet: s
    .object({ haKeeperEndpoint: s.string().describe('"host:port" of HAKeeper.') })
    .optional()
    .describe('A log service elsewhere, by its address.'),
};

const store = s.object({
  podName: s.string().optional().describe('The pod of the store.'),
  phase: s.string().optional().describe('"Up" or "Down".'),
  lastTransition: s.dateTime().optional().describe('Since when it is so.'),
});

export const conditionalStatus = { conditions: s.conditions().optional().describe('What is so with it, by type.') };
export const jobUID = s
  .string()
  .optional()
  .describe('UID of the only Job that runs for it, known before that Job starts: no other one ever does.');
export const failoverStatus = {
  availableStores: s.list(store).optional().describe('The stores that are up.'),
  failedStores: s.list(store).optional().describe('The stores that are down.'),
};

export const imageColumns = [
  { name: 'Image', type: 'string', jsonPath: '.spec.image' },
  { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
] as const;

/** `deps` must lead to a log service; `deps` itself may be missing, so the rule stands on the whole object. */
export const needsLogService = {
  rule: 'has(self.deps) && (has(self.deps.logSet) || has(self.deps.externalLogSet))',
  message: 'one of deps.logSet or deps.externalLogSet must be set',
  fieldPath: '.deps',
} as const;

/** Where the scale subresource finds its numbers. */
export const replicaScale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.labelSelector',
} as const;
