/** The objects that every cluster has: `flowcontrol.apiserver.k8s.io`. Their specs are facts of Kubernetes 1.37. */
import type { ReadJson } from '../shared/draft.ts';

const group = (name: string): ReadJson => ({ kind: 'Group', group: { name } });
const user = (name: string): ReadJson => ({ kind: 'User', user: { name } });
const systemAccounts: ReadJson = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const everybody = [group('system:unauthenticated'), group('system:authenticated')];

const anything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

function schema(
  level: string,
  precedence: number,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  subjects: readonly ReadJson[],
  rules: ReadJson = anything,
): ReadJson {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(distinguisher ? { distinguisherMethod: { type: distinguisher } } : {}),
    rules: [{ subjects, ...rules }],
  };
}

const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };

/** Spec of each, by name, in the order of creation. */
export const flowSchemas: Readonly<Record<string, ReadJson>> = {
  exempt: schema('exempt', 1, undefined, [group('system:masters')]),
  'catch-all': schema('catch-all', 10_000, 'ByUser', everybody),
  'system-nodes': schema('system', 500, 'ByUser', [group('system:nodes')]),
  'system-node-high': schema('node-high', 400, 'ByUser', [group('system:nodes')], {
    resourceRules: [
      { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
      { verbs: ['*'], ...leases },
    ],
  }),
  probes: schema('exempt', 2, undefined, everybody, {
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  'system-leader-election': schema(
    'leader-election',
    100,
    'ByUser',
    [user('system:kube-controller-manager'), user('system:kube-scheduler'), systemAccounts],
    { resourceRules: [{ verbs: ['get', 'create', 'update'], ...leases }] },
  ),
  'kube-controller-manager': schema('workload-high', 800, 'ByNamespace', [user('system:kube-controller-manager')]),
  'kube-scheduler': schema('workload-high', 800, 'ByNamespace', [user('system:kube-scheduler')]),
  'kube-system-service-accounts': schema('workload-high', 900, 'ByNamespace', [systemAccounts]),
  'service-accounts': schema('workload-low', 9000, 'ByUser', [group('system:serviceaccounts')]),
  'global-default': schema('global-default', 9900, 'ByUser', everybody),
};

function limited(shares: number, lendable: number, queues?: readonly [queues: number, handSize: number]): ReadJson {
  const queuing = queues && { queues: queues[0], handSize: queues[1], queueLengthLimit: 50 };
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: queuing ? { type: 'Queue', queuing } : { type: 'Reject' },
      lendablePercent: lendable,
    },
  };
}

/** Spec of each, by name, in the order of creation. */
export const priorityLevels: Readonly<Record<string, ReadJson>> = {
  exempt: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  'catch-all': limited(5, 0),
  system: limited(30, 33, [64, 6]),
  'node-high': limited(40, 25, [64, 6]),
  'leader-election': limited(10, 0, [16, 4]),
  'workload-high': limited(40, 50, [128, 6]),
  'workload-low': limited(100, 90, [128, 6]),
  'global-default': limited(20, 50, [128, 6]),
};

/** Names whose objects may not say anything else. */
export const mandatoryNames: readonly string[] = ['exempt', 'catch-all'];
