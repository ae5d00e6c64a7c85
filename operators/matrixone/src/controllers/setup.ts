import { ConfigMap, Pod, PodDisruptionBudget, Service } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { generationChanged, statusChanged } from '@coxswain/runtime/controller';
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

/** Adds the controllers of the five kinds and of the compute nodes' pods to a manager. */
export function setupControllers(manager: Manager, options: MatrixOneOptions = {}): void {
  const serviceArgs = options.serviceArgs ?? chartServiceArgs;
  const { sql } = options;
  const cluster = new ClusterActor({
    serviceArgs,
    restores: options.backup !== false,
    metricReader: sql !== undefined,
  });
  manager
    .actor(MatrixOneCluster, cluster, { fieldManager, finalizer: FINALIZER_CLUSTER })
    .owns(LogSet, { where: setMatters })
    .owns(DNSet, { where: setMatters })
    .owns(CNSet, { where: setMatters })
    .owns(ProxySet, { where: setMatters })
    .owns(WebUI, { where: setMatters })
    .owns(RestoreJob, { where: statusChanged })
    .run();
  if (sql) setupMetricReader(manager, sql);
  const { buckets } = options;
  // Said by name, as the gate `cnLabel` does when it is off; what is simply not given is a test's.
  const drains = options.cnStores !== unmanagedCnStores;
  const scopeOfBuckets = buckets ? { buckets: buckets.namespace ? { namespace: buckets.namespace } : {} } : {};
  const logSet = new LogSetActor({ serviceArgs, failover: options.failover ?? true, ...scopeOfBuckets });
  const logSets = manager
    .actor(LogSet, logSet, { fieldManager, finalizer: FINALIZER_LOGSET })
    .owns(KruiseStatefulSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .owns(PodDisruptionBudget, { scope, where: generationChanged })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('LogSet') });
  if (buckets) logSets.watches(BucketClaim, { map: ownerOfClaim });
  logSets.run();
  manager
    .actor(DNSet, new DNSetActor({ serviceArgs, buckets: buckets !== undefined }), {
      fieldManager,
      finalizer: FINALIZER_DNSET,
    })
    .owns(KruiseStatefulSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('DNSet') })
    .run();
  manager
    .actor(CNSet, new CNSetActor({ serviceArgs, buckets: buckets !== undefined, drains }), {
      fieldManager,
      finalizer: FINALIZER_CNSET,
    })
    .owns(CloneSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('CNSet') })
    .run();
  manager
    .actor(ProxySet, new ProxySetActor({ serviceArgs }), { fieldManager, finalizer: FINALIZER_PROXYSET })
    .owns(CloneSet, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .owns(PodDisruptionBudget, { scope, where: generationChanged })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('ProxySet') })
    .run();
  setupCnStores(manager, options.cnStores ?? unmanagedCnStores, scope);
}
