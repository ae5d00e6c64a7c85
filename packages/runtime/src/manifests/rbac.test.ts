import { ConfigMap, Namespace, Pod, Service } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import type { Operator } from '../manager/index.ts';
import { selfSigned } from '../webhook/index.ts';
import { normalizeRules, rbacObjects, rbacOf, rulesOf } from './index.ts';

describe('normalizeRules', () => {
  it('merges and orders as controller-gen v0.21.0 does', () => {
    const rules = [
      { apiGroups: ['core'], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['patch', 'get'] },
      { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['get', 'list'] },
      { apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['list', 'get'] },
      { apiGroups: ['demo.dev'], resources: ['echoes'], verbs: ['get', '*'] },
      { apiGroups: ['demo.dev', '*'], resources: ['echoes/status'], verbs: ['update'] },
      { apiGroups: ['core', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: ['core'], resources: ['secrets'], resourceNames: ['b', 'a'], verbs: ['get'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      { nonResourceURLs: ['/healthz'], verbs: ['get'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
    ];
    // What controller-gen wrote for the same rules as markers.
    const golden = [
      { nonResourceURLs: ['/healthz', '/metrics'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'patch', 'watch'] },
      { apiGroups: [''], resourceNames: ['a', 'b'], resources: ['secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: ['*', 'demo.dev'], resources: ['echoes/status'], verbs: ['update'] },
      { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['get', 'list'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update'] },
      { apiGroups: ['demo.dev'], resources: ['echoes'], verbs: ['*'] },
    ];
    expect(normalizeRules(rules)).toEqual(golden);
    expect(normalizeRules(rules.toReversed())).toEqual(golden);
    expect(normalizeRules(golden)).toEqual(golden);
  });
});

const core = (resources: string[], verbs: string[]) => ({ apiGroups: [''], resources, verbs });
const leases = (verbs: string[], resourceNames?: string[]) => ({
  apiGroups: ['coordination.k8s.io'],
  ...(resourceNames ? { resourceNames } : {}),
  resources: ['leases'],
  verbs,
});
const actor = { statusSubresource: true, dependsOn: [] };

describe('rbacOf', () => {
  it('allows what controllers and actors declare, and no more', () => {
    const { cluster, namespaces } = rbacOf({
      controllers: [
        { for: { kind: Service }, owns: [{ kind: ConfigMap }], watches: [{ kind: Pod }], actor },
        {
          for: { kind: Pod },
          watches: [{ kind: Service }],
          actor: { statusSubresource: false, dependsOn: [Namespace] },
        },
      ],
      rules: [core(['secrets'], ['get'])],
    });
    expect(cluster).toEqual([
      core(['configmaps'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
      core(['namespaces'], ['get', 'list', 'watch']),
      core(['pods', 'services'], ['get', 'list', 'patch', 'watch']),
      core(['secrets'], ['get']),
      core(['services/finalizers'], ['update']),
      core(['services/status'], ['patch']),
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ]);
    expect(namespaces).toEqual({});
  });

  it('lets a reconciler only read its own kind, and it writes no events', () => {
    expect(rbacOf({ controllers: [{ for: { kind: Pod } }] }).cluster).toEqual([
      core(['pods'], ['get', 'list', 'watch']),
    ]);
  });

  it('allows in a namespace what a scope keeps there, children too; a cluster-scoped kind knows none', () => {
    const { cluster, namespaces } = rbacOf({
      controllers: [
        { for: { kind: Service, namespaces: ['a', 'b'] }, owns: [{ kind: ConfigMap }], actor },
        { for: { kind: Namespace, namespaces: ['a'] }, actor: { ...actor, dependsOn: [Pod] } },
        { for: { kind: Pod, namespaces: ['a'] } },
      ],
    });
    const events = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };
    expect(cluster).toEqual([
      core(['configmaps', 'pods'], ['get', 'list', 'watch']),
      core(['namespaces'], ['get', 'list', 'patch', 'watch']),
      core(['namespaces/status'], ['patch']),
    ]);
    const within = [
      core(['configmaps'], ['create', 'delete', 'patch']),
      core(['services'], ['get', 'list', 'patch', 'watch']),
      core(['services/finalizers'], ['update']),
      core(['services/status'], ['patch']),
      events,
    ];
    expect(namespaces).toEqual({ a: within, b: within, default: [events] });
  });

  it('names the lease, the CRDs, and what certificates are kept in and told to', () => {
    const inject = { mutatingConfigurations: ['m'], definitions: ['echoes.demo.dev'] };
    const service = { namespace: 'ops', name: 'hooks' };
    const { cluster, namespaces } = rbacOf({
      controllers: [],
      crds: [{ metadata: { name: 'echoes.demo.dev' } }, { metadata: { name: 'calls.demo.dev' } }],
      certificates: selfSigned({ secret: { namespace: 'ops', name: 'tls' }, service, inject }),
      election: { namespace: 'ops', lease: 'echo' },
    });
    const named = (group: string, resource: string, resourceNames: string[], verbs: string[]) => ({
      apiGroups: [group],
      resourceNames,
      resources: [resource],
      verbs,
    });
    expect(cluster).toEqual([
      named('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', ['m'], ['get', 'list', 'patch', 'watch']),
      named(
        'apiextensions.k8s.io',
        'customresourcedefinitions',
        ['calls.demo.dev', 'echoes.demo.dev'],
        ['create', 'get', 'patch'],
      ),
      named(
        'apiextensions.k8s.io',
        'customresourcedefinitions',
        ['echoes.demo.dev'],
        ['get', 'list', 'patch', 'watch'],
      ),
    ]);
    expect(namespaces).toEqual({
      ops: [
        core(['secrets'], ['create']),
        named('', 'secrets', ['tls'], ['get', 'list', 'update', 'watch']),
        leases(['create']),
        leases(['get', 'update', 'watch'], ['echo']),
      ],
    });
  });

  it('asks of which kinds dependencies are', () => {
    const controllers = [{ for: { kind: Pod }, actor: { statusSubresource: true } }];
    expect(() => rbacOf({ controllers })).toThrow(
      'the actor of Pod has dependencies and does not say of which kinds; list them in its dependsOn',
    );
  });
});

describe('rulesOf', () => {
  const Widget = { group: 'demo.dev', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
  const operator: Operator = {
    name: 'widgets',
    crds: () => [],
    kinds: [Widget],
    setup(manager) {
      const base = { owns: [Service], observe: async () => undefined, finalize: async () => true };
      const waits = { ...base, dependencies: () => [], dependsOn: [Pod] };
      manager.actor(Widget, waits, { finalizer: 'demo.dev/widget' }).owns(ConfigMap).scope({ namespace: 'demo' }).run();
      manager
        .controller(Widget, 'sharded')
        .watches(Pod, { map: () => [], scope: { namespaces: ['a', 'b'] } })
        .options({ sharding: { namespace: 'demo', lease: 'widgets' } })
        .run({ reconcile: async () => {} });
    },
  };

  it('are those of what the operator declares when it is set up', () => {
    const election = { namespace: 'demo', lease: 'widgets' };
    const controllers = [
      {
        for: { kind: Widget, namespaces: ['demo'] },
        owns: [{ kind: ConfigMap }, { kind: Service }],
        actor: { statusSubresource: true, dependsOn: [Pod] },
      },
      {
        for: { kind: Widget },
        watches: [{ kind: Pod, namespaces: ['a', 'b'] }],
        sharding: { namespace: 'demo', lease: 'widgets' },
      },
    ];
    expect(rulesOf(operator, { election })).toEqual(rbacOf({ controllers, election }));
    expect(rulesOf(operator).namespaces['demo']).toContainEqual(
      leases(['create', 'delete', 'get', 'list', 'update', 'watch']),
    );
  });
});

it('a declaration with a field that nobody reads is refused, which would leave out rights', () => {
  const lease = { lease: { namespace: 'a', name: 'b' } };
  expect(() => rbacOf({ controllers: [], electon: lease } as never)).toThrow('did you mean `election`?');
  expect(() => rulesOf({ name: 'op', setup() {} }, { electon: lease } as never)).toThrow('did you mean `election`?');
});

describe('rbacObjects', () => {
  it('are roles and bindings for the service account, only where something is allowed', () => {
    const user = 'system:serviceaccount:ops:echo';
    const rules = { cluster: [], namespaces: { ops: [leases(['create'])] } };
    const metadata = { name: 'echo', namespace: 'ops', labels: { app: 'echo' } };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    expect(rbacObjects(rules, { name: 'echo', user, labels: { app: 'echo' } })).toEqual([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
      { apiVersion, kind: 'Role', metadata, rules: rules.namespaces.ops },
      {
        apiVersion,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'echo' },
        subjects: [{ kind: 'ServiceAccount', namespace: 'ops', name: 'echo' }],
      },
    ]);
    const cluster = [core(['pods'], ['get'])];
    const kinds = rbacObjects({ cluster, namespaces: {} }, { name: 'echo', user: 'echo' }).map(
      (object) => (object as { kind?: string }).kind,
    );
    expect(kinds).toEqual(['ClusterRole', 'ClusterRoleBinding']);
  });
});
