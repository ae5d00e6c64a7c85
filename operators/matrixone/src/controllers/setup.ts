import { ConfigMap, Pod, PodDisruptionBudget, Service } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { channelSource, type ExternalSource, generationChanged, statusChanged } from '@coxswain/runtime/controller';
import type { Manager } from '@coxswain/runtime/manager';
import {
  BucketClaim,
  CNSet,
  DNSet,
  FINALIZER_CLUSTER,
  FINALIZER_CNSET,
  FINALIZER_DNSET,
  FINALIZER_LOGSET,
  FINALIZER_PROXYSET,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  RestoreJob,
  WebUI,
} from '../api/index.ts';
import { ownerOfClaim } from '../buckets/index.ts';
import { setupCnStores, unmanagedCnStores } from '../cnstore/index.ts';
import { chartServiceArgs } from '../defaults/index.ts';
import { LogKeeper, setupLogStores } from '../logstore/index.ts';
import type { MatrixOneOptions } from '../options.ts';
import { childrenOfSets, setOfPod } from './children.ts';
import { ClusterActor } from './cluster.ts';
import { CNSetActor } from './cnset.ts';
import { DNSetActor } from './dnset.ts';
import { LogSetActor } from './logset.ts';
import { setupMetricReader } from './metric-reader.ts';
import { ProxySetActor } from './proxyset.ts';
import { podMatters, setMatters } from './wake.ts';

const scope = childrenOfSets;
/** One name for all: the controllers write different objects. */
export const FIELD_MANAGER = 'matrixone-operator';
const fieldManager = FIELD_MANAGER;
/** Milliseconds that numbers and messages may wait to be written together: on their way up they change at every step. */
export const STATUS_DELAY = 1_000;
const common = { fieldManager, statusDelay: STATUS_DELAY };

type ServiceArgs = NonNullable<MatrixOneOptions['serviceArgs']>;

/** Adds the controllers of clusters, sets and the compute nodes' pods to a manager. */
export function setupControllers(manager: Manager, options: MatrixOneOptions = {}): void {
  const serviceArgs = options.serviceArgs ?? chartServiceArgs;
  setupClusters(manager, serviceArgs, options);
  const cnStores = options.cnStores ?? unmanagedCnStores;
  const keeper = cnStores.logStores && new LogKeeper(cnStores.logStores.bind(cnStores), manager.clock);
  const heard = channelSource('hakeeper');
  setupLogSets(manager, serviceArgs, options, { source: heard.source, ...(keeper ? { keeper } : {}) });
  setupDNSets(manager, serviceArgs, options);
  setupCNSets(manager, serviceArgs, options);
  if (options.proxies !== false) setupProxySets(manager, serviceArgs);
  setupCnStores(manager, cnStores, scope);
  if (keeper) setupLogStores(manager, keeper, heard.push, scope);
}

function setupClusters(manager: Manager, serviceArgs: ServiceArgs, { backup, proxies, sql }: MatrixOneOptions): void {
  const cluster = new ClusterActor({
    serviceArgs,
    restores: backup !== false,
    proxies: proxies !== false,
    metricReader: sql !== undefined,
  });
  manager
    .actor(MatrixOneCluster, cluster, { ...common, finalizer: FINALIZER_CLUSTER })
    .owns(LogSet, { where: setMatters })
    .owns(DNSet, { where: setMatters })
    .owns(CNSet, { where: setMatters })
    .owns(ProxySet, { where: setMatters })
    .owns(WebUI, { where: setMatters })
    .owns(RestoreJob, { where: statusChanged })
    .run();
  if (sql) setupMetricReader(manager, sql);
}

function setupLogSets(
  manager: Manager,
  serviceArgs: ServiceArgs,
  { buckets, failover }: MatrixOneOptions,
  { keeper, source }: { readonly keeper?: LogKeeper; readonly source: ExternalSource },
): void {
  const scopeOfBuckets = buckets ? { buckets: buckets.namespace ? { namespace: buckets.namespace } : {} } : {};
  const options = { clock: manager.clock, serviceArgs, failover: failover ?? true };
  const logSet = new LogSetActor({ ...options, ...scopeOfBuckets, ...(keeper ? { keeper } : {}) });
  const logSets = manager
    .actor(LogSet, logSet, { ...common, finalizer: FINALIZER_LOGSET })
    .owns(KruiseStatefulSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .owns(PodDisruptionBudget, { scope, where: generationChanged })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('LogSet') });
  if (keeper) logSets.from(source);
  if (buckets) logSets.watches(BucketClaim, { map: ownerOfClaim });
  logSets.run();
}

function setupDNSets(manager: Manager, serviceArgs: ServiceArgs, { buckets }: MatrixOneOptions): void {
  manager
    .actor(DNSet, new DNSetActor({ serviceArgs, buckets: buckets !== undefined }), {
      ...common,
      finalizer: FINALIZER_DNSET,
    })
    .owns(KruiseStatefulSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('DNSet') })
    .run();
}

function setupCNSets(manager: Manager, serviceArgs: ServiceArgs, { buckets, cnStores }: MatrixOneOptions): void {
  // Said by name, as the gate `cnLabel` does when it is off; what is simply not given is a test's.
  const drains = cnStores !== unmanagedCnStores;
  manager
    .actor(CNSet, new CNSetActor({ serviceArgs, buckets: buckets !== undefined, drains }), {
      ...common,
      finalizer: FINALIZER_CNSET,
    })
    .owns(CloneSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('CNSet') })
    .run();
}

function setupProxySets(manager: Manager, serviceArgs: ServiceArgs): void {
  manager
    .actor(ProxySet, new ProxySetActor({ serviceArgs }), { ...common, finalizer: FINALIZER_PROXYSET })
    .owns(CloneSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .owns(PodDisruptionBudget, { scope, where: generationChanged })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('ProxySet') })
    .run();
}
