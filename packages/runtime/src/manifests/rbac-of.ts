import type { Kind, PolicyRule } from '@coxswain/k8s';
import { normalizeRules } from './normalize-rules.ts';

/** What an operator works with. */
export interface RbacDeclaration {
  readonly controllers: readonly {
    /** Read, its metadata patched (finalizers), its status written. */
    readonly for: Kind;
    /** Children: read, created, patched and deleted. */
    readonly owns?: readonly Kind[];
    /** Only read. */
    readonly watches?: readonly Kind[];
    /** Where the Leases are by which its keys are shared out. */
    readonly sharding?: { readonly namespace: string };
  }[];
  /** What controllers do besides. */
  readonly rules?: readonly PolicyRule[];
  /** Events are written; default true. */
  readonly events?: boolean;
  /** Namespace of the lease for leader election. Absent: no election. */
  readonly election?: { readonly namespace: string };
}

/** Permissions by where they hold. */
export interface RbacRules {
  /** For a ClusterRole. */
  readonly cluster: readonly PolicyRule[];
  /** For a Role each, by namespace. */
  readonly namespaces: Readonly<Record<string, readonly PolicyRule[]>>;
}

const read = ['get', 'list', 'watch'];
/** Of a Lease. */
const held = ['get', 'create', 'update'];

/** The least an operator must be allowed to do, from what it declares; merged and in a stable order. */
export function rbacOf({ controllers, rules = [], events = true, election }: RbacDeclaration): RbacRules {
  const declared = controllers.flatMap(({ for: kind, owns = [], watches = [] }) => [
    ruleOf(kind, [...read, 'patch']),
    ruleOf(kind, ['patch', 'update'], '/status'),
    // Where the server checks who may block a deletion, it asks for this.
    ...(owns.length > 0 ? [ruleOf(kind, ['update'], '/finalizers')] : []),
    ...owns.map((child) => ruleOf(child, [...read, 'create', 'patch', 'delete'])),
    ...watches.map((other) => ruleOf(other, read)),
  ]);
  const told = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };
  const shards = controllers.flatMap(({ sharding }) => (sharding ? [sharding.namespace] : []));
  const leases = [
    ...(election ? [{ namespace: election.namespace, verbs: held }] : []),
    ...shards.map((namespace) => ({ namespace, verbs: [...held, 'list', 'delete'] })),
  ];
  const byNamespace = Map.groupBy(leases, ({ namespace }) => namespace);
  return {
    cluster: normalizeRules([...declared, ...rules, ...(events ? [told] : [])]),
    namespaces: Object.fromEntries(
      [...byNamespace].map(([namespace, uses]) => [
        namespace,
        normalizeRules(uses.map(({ verbs }) => ({ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }))),
      ]),
    ),
  };
}

function ruleOf({ group, plural }: Kind, verbs: readonly string[], below = ''): PolicyRule {
  return { apiGroups: [group], resources: [`${plural}${below}`], verbs };
}
