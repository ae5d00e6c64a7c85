import { CustomResourceDefinition, type KubeObject, type PolicyRule } from '@coxswain/k8s';
import type { RbacRules } from '../apply/index.ts';
import type { DeclaredController, DeclaredKind } from '../controller/index.ts';
import { checkOptions, optionNames } from '../core/index.ts';
import type { ManagerOptions } from '../manager/index.ts';
import type { CertificateSource } from '../webhook/index.ts';
import { everywhere, type Needs, needsIn, rulesFrom } from './needs.ts';

/** What an operator works with. */
export interface RbacDeclaration {
  /** As `manager.declared` has them. */
  readonly controllers: readonly ControllerDeclaration[];
  /** The CRDs that it installs itself, with `installCrds`. Default: none. */
  readonly crds?: readonly KubeObject[];
  /** The certificates of its webhook server. Default: none are made here. */
  readonly certificates?: CertificateSource;
  /** As the manager is given it. Absent: no election. */
  readonly election?: ManagerOptions['election'];
  /** Whether events are written; default: if there is an actor. */
  readonly events?: boolean;
  /** What it does besides, in the whole cluster. */
  readonly rules?: readonly PolicyRule[];
}

/** What a controller works with; see `DeclaredController`. */
export type ControllerDeclaration = Pick<DeclaredController, 'for' | 'actor' | 'sharding'> &
  Partial<Pick<DeclaredController, 'owns' | 'watches'>>;

const known = optionNames<RbacDeclaration>({
  controllers: true,
  crds: true,
  certificates: true,
  election: true,
  events: true,
  rules: true,
});

/** To list them is to get them all, so both are one. */
const read = ['get', 'list', 'watch'];
/** Of children, by `apply`, `immutableConfig`, `ensureGone` and `desired`. */
const write = ['create', 'patch', 'delete'];

/**
 * The least that an operator must be allowed to do, from what it declares; merged and in a stable order.
 *
 * - A controller reads its kind, what it owns and what it watches. What it owns it creates, patches and deletes.
 * - An actor reads the kinds of its dependencies, patches metadata of its kind (the finalizer), and writes its status.
 * - Rules are for namespaces where the scope of a source names some, else for the whole cluster.
 * - A reconciler's own writes of its kind go into `rules`, as does all that is done to kinds that are not declared.
 *
 * @throws Error when an actor has dependencies and does not say of which kinds; TypeError for what nobody reads
 */
export function rbacOf(declaration: RbacDeclaration): RbacRules {
  checkOptions('rbacOf', declaration, known);
  const { controllers, crds = [], certificates, election, events, rules = [] } = declaration;
  const told = events ?? controllers.some(({ actor }) => actor !== undefined);
  return rulesFrom([
    ...controllers.flatMap(needsOf),
    ...(told ? eventNeeds(controllers) : []),
    ...crdNeeds(crds),
    ...(election ? electionNeeds(election) : []),
    ...(certificates?.rules ? everywhere(certificates.rules) : []),
    ...rules.map((rule) => ({ rule })),
  ]);
}

function needsOf({ for: own, owns = [], watches = [], actor, sharding }: ControllerDeclaration): readonly Needs[] {
  return [
    ...needs(own, read),
    ...owns.flatMap((child) => [...needs(child, read), ...needs(childOf(own, child), write)]),
    ...watches.flatMap((other) => needs(other, read)),
    // Where the server checks who may block a deletion, it asks for this.
    ...(owns.length > 0 ? needs(own, ['update'], '/finalizers') : []),
    ...(actor ? actorNeeds(own, actor) : []),
    ...(sharding ? [leases(sharding.namespace, ['get', 'list', 'create', 'update', 'delete', 'watch'])] : []),
  ];
}

function actorNeeds(own: DeclaredKind, actor: NonNullable<ControllerDeclaration['actor']>): readonly Needs[] {
  if (!actor.dependsOn) {
    const { kind } = own.kind;
    throw new Error(
      `the actor of ${kind} has dependencies and does not say of which kinds; list them in its dependsOn`,
    );
  }
  return [
    ...needs(own, ['patch']),
    ...(actor.statusSubresource ? needs(own, ['patch'], '/status') : []),
    ...actor.dependsOn.flatMap((kind) => needs({ kind }, read)),
  ];
}

/** Children are where their owner is. */
function childOf(own: DeclaredKind, child: DeclaredKind): DeclaredKind {
  return own.kind.scope === 'Namespaced' && own.namespaces ? { ...child, namespaces: own.namespaces } : child;
}

/** An event is where its object is, or in `default` when that is in no namespace. */
function eventNeeds(controllers: readonly ControllerDeclaration[]): readonly Needs[] {
  const rule = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };
  return controllers.flatMap(({ for: { kind, namespaces } }) =>
    needsIn(kind.scope === 'Cluster' ? ['default'] : namespaces, rule),
  );
}

/** By apply both are asked for by name. */
function crdNeeds(crds: readonly KubeObject[]): readonly Needs[] {
  if (crds.length === 0) return [];
  const { group, plural } = CustomResourceDefinition;
  const resourceNames = crds.map(({ metadata }) => metadata.name);
  return [{ rule: { apiGroups: [group], resources: [plural], resourceNames, verbs: ['get', 'create', 'patch'] } }];
}

function electionNeeds({ namespace, lease }: NonNullable<RbacDeclaration['election']>): readonly Needs[] {
  return [leases(namespace, ['create']), leases(namespace, ['get', 'update', 'watch'], [lease])];
}

function leases(namespace: string, verbs: readonly string[], resourceNames?: readonly string[]): Needs {
  const named = resourceNames ? { resourceNames } : {};
  return { namespace, rule: { apiGroups: ['coordination.k8s.io'], resources: ['leases'], ...named, verbs } };
}

function needs({ kind, namespaces }: DeclaredKind, verbs: readonly string[], below = ''): readonly Needs[] {
  const { group, plural } = kind;
  const rule = { apiGroups: [group], resources: [`${plural}${below}`], verbs };
  return needsIn(kind.scope === 'Cluster' ? undefined : namespaces, rule);
}
