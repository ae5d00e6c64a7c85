import { ConfigMap, Pod, Service } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import type { Operator } from '../manager/index.ts';
import { normalizeRules, rbacOf, rulesOf } from './index.ts';

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

describe('rbacOf', () => {
  const rules = rbacOf({
    controllers: [
      { for: Service, owns: [ConfigMap], watches: [Pod] },
      { for: Pod, watches: [Service] },
    ],
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    election: { namespace: 'ops' },
  });

  it('allows what the controllers declare, and no more', () => {
    const core = (resources: string[], verbs: string[]) => ({ apiGroups: [''], resources, verbs });
    expect(rules.cluster).toEqual([
      core(['configmaps'], ['create', 'delete', 'get', 'list', 'patch', 'watch']),
      core(['pods', 'services'], ['get', 'list', 'patch', 'watch']),
      core(['pods/status', 'services/status'], ['patch', 'update']),
      core(['secrets'], ['get']),
      core(['services/finalizers'], ['update']),
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ]);
  });

  it('keeps leases in their namespace', () => {
    const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update'] };
    expect(rules.namespaces).toEqual({ ops: [lease] });
  });
});

describe('rulesOf', () => {
  const Widget = { group: 'demo.dev', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
  const operator: Operator = {
    name: 'widgets',
    crds: () => [],
    kinds: [Widget],
    setup(manager) {
      const actor = { owns: [Service], observe: async () => undefined, finalize: async () => true };
      manager.actor(Widget, actor, { finalizer: 'demo.dev/widget' }).owns(ConfigMap).run();
      manager
        .controller(Widget, 'sharded')
        .watches(Pod, { map: () => [] })
        .options({ sharding: { namespace: 'demo', lease: 'widgets' } })
        .run({ reconcile: async () => {} });
    },
  };

  it('are those of what the operator declares when it is set up', () => {
    const controllers = [
      { for: Widget, owns: [ConfigMap, Service] },
      { for: Widget, watches: [Pod], sharding: { namespace: 'demo' } },
    ];
    expect(rulesOf(operator, { election: { namespace: 'demo' } })).toEqual(
      rbacOf({ controllers, election: { namespace: 'demo' } }),
    );
    expect(rulesOf(operator).namespaces).toEqual({
      demo: [
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: ['create', 'delete', 'get', 'list', 'update'],
        },
      ],
    });
  });
});
