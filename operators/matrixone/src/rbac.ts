import type { Kind, PolicyRule } from '@coxswain/k8s';
import {
  ConfigMap,
  Deployment,
  Job,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodTemplate,
  Secret,
  Service,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import {
  Backup,
  BackupJob,
  BucketClaim,
  CNClaim,
  CNClaimSet,
  CNPool,
  CNSet,
  DNSet,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  RestoreJob,
  WebUI,
} from './api/index.ts';

const read = ['get', 'list', 'watch'];
/** To apply is to patch, and to create what is not there. */
const write = ['create', 'patch', 'delete'];

interface Access {
  readonly kinds: readonly Kind[];
  readonly verbs: readonly string[];
  /** Subresources with verbs of their own. */
  readonly below?: Readonly<Record<string, readonly string[]>>;
}

const status = ['patch', 'update'];
/** To be named as an owner whose deletion waits, where that is guarded (`OwnerReferencesPermissionEnforcement`, as on OpenShift). */
const finalizers = ['update'];

/** What the controllers do, by kind. */
const access: readonly Access[] = [
  { kinds: [MatrixOneCluster], verbs: [...read, 'patch'], below: { status, finalizers } },
  {
    kinds: [LogSet, DNSet, CNSet, ProxySet, WebUI],
    verbs: [...read, ...write],
    below: { status, finalizers },
  },
  { kinds: [CNPool, CNClaimSet], verbs: [...read, 'patch'], below: { status, finalizers } },
  { kinds: [CNClaim], verbs: [...read, ...write], below: { status } },
  {
    kinds: [KruiseStatefulSet, CloneSet, Deployment, Service, ConfigMap, PodDisruptionBudget],
    verbs: [...read, ...write],
  },
  { kinds: [BackupJob, RestoreJob], verbs: [...read, ...write], below: { status, finalizers } },
  { kinds: [Job], verbs: [...read, ...write] },
  // Taken over as it was seen, or not at all; it has no status of its own.
  { kinds: [BucketClaim], verbs: [...read, ...write, 'update'], below: { finalizers } },
  { kinds: [Backup], verbs: ['get', 'list', 'create'] },
  // Nodes of a database are marked, taken out of service, and kept or replaced when they fail.
  { kinds: [Pod], verbs: [...read, 'patch', 'delete'], below: { status: ['patch'] } },
  // Only to grow, and to go with the set.
  { kinds: [PersistentVolumeClaim], verbs: ['get', 'list', 'patch', 'delete'] },
  // Written: what leads to data that is to be removed one day. No Secret is listed or watched.
  { kinds: [Secret], verbs: ['get', ...write] },
  // Dry runs, by which webhooks have overlays judged; none is ever kept.
  { kinds: [PodTemplate], verbs: ['create'] },
];

function rulesOf({ kinds, verbs, below = {} }: Access): readonly PolicyRule[] {
  return [...new Set(kinds.map(({ group }) => group))].flatMap((group) => {
    const resources = kinds.filter((kind) => kind.group === group).map(({ plural }) => plural);
    const own = { apiGroups: [group], resources, verbs };
    const further = Object.entries(below).map(([name, allowed]) => ({
      apiGroups: [group],
      resources: resources.map((plural) => `${plural}/${name}`),
      verbs: allowed,
    }));
    return [own, ...further];
  });
}

/** What the operator must be allowed to do in the whole cluster, and no more. */
export const operatorRules: readonly PolicyRule[] = [
  ...access.flatMap(rulesOf),
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];
