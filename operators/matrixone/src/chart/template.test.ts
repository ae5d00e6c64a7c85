/** What the charts become, by the real Helm without a cluster: names and meanings that existing values files count on. */
import type {
  ClusterRole,
  ConfigMap,
  Deployment,
  MutatingWebhookConfiguration,
  Role,
  ValidatingWebhookConfiguration,
} from '@coxswain/k8s';
import { selfSigned } from '@coxswain/runtime/webhook';
import { type ClusterProgram, helmFor } from '@coxswain/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matrixoneOperator } from '../operator.ts';
import { charts, rendered } from './test-helm.ts';

let helm: ClusterProgram;
beforeAll(async () => {
  helm = await helmFor('');
});
afterAll(() => helm[Symbol.asyncDispose]());

const configurations = {
  mutating: 'matrixone-operator-mutating-webhook-mo',
  validating: 'matrixone-operator-validating-webhook-mo',
};
const certificates = selfSigned({
  secret: { namespace: 'system', name: 'matrixone-operator-webhook-certs' },
  service: { namespace: 'system', name: 'webhook-service' },
  inject: {
    mutatingConfigurations: [configurations.mutating],
    validatingConfigurations: [configurations.validating],
  },
});

const operator = async (values: object = {}, release?: string) => {
  // The CRDs are large, and only one test looks at them.
  const objects = await rendered(helm, charts.operator, { crds: { install: false }, ...values }, release);
  const get = <T>(name: string): T => {
    const object = objects.get(name);
    if (!object) throw new Error(`no ${name}; there are ${[...objects.keys()].join(', ')}`);
    return object as unknown as T;
  };
  return { objects, get, own: [...objects.keys()] };
};

test('both charts pass helm lint', async () => {
  for (const chart of Object.values(charts))
    expect(await helm(['lint', '--strict', chart])).toMatch(/0 chart\(s\) failed/);
});

describe('matrixone-operator', () => {
  test('names of objects', async () => {
    const { own } = await operator();
    expect(own.sort()).toEqual([
      'ClusterRole/mo-matrixone-operator',
      'ClusterRoleBinding/mo-matrixone-operator',
      'ConfigMap/matrixone-operator-cm',
      'Deployment/mo-matrixone-operator',
      'MutatingWebhookConfiguration/matrixone-operator-mutating-webhook-mo',
      'Role/mo-matrixone-operator',
      'RoleBinding/mo-matrixone-operator',
      'Service/mo-matrixone-operator-metrics',
      'Service/webhook-service',
      'ServiceAccount/mo-matrixone-operator',
      'ValidatingWebhookConfiguration/matrixone-operator-validating-webhook-mo',
    ]);
  });

  test.each([
    [{}, 'matrixone-operator', 'matrixone-operator'],
    [{ nameOverride: 'mop' }, 'x', 'x-mop'],
    [{ fullnameOverride: 'full' }, 'x', 'full'],
  ])('with %j, release %s, the full name is %s', async (values, release, name) => {
    const { get } = await operator(values, release);
    const { nameOverride: own = 'matrixone-operator' } = values as { nameOverride?: string };
    const { spec } = get<Deployment>(`Deployment/${name}`);
    expect(spec?.template.spec?.volumes?.[0]?.configMap?.name).toBe(`${own}-cm`);
    expect(spec?.selector.matchLabels).toEqual({
      'app.kubernetes.io/name': own,
      'app.kubernetes.io/instance': release,
    });
    get(`ConfigMap/${own}-cm`);
  });

  test.each([
    [{ onlyWatchReleasedNS: 'false' }, "'/onlyWatchReleasedNS': 'false' does not match pattern"],
    [{ webhook: { createResource: 'false' } }, "'/webhook/createResource': 'false' does not match pattern"],
    [{ crds: { install: 'false' } }, "'/crds/install': 'false' does not match pattern"],
    [{ replicaCount: 'two' }, "'/replicaCount': 'two' does not match pattern"],
    [{ featureGates: { cnLable: true } }, "invalid propertyName 'cnLable'"],
    [{ featureGates: { cnLabel: false } }, 'featureGates.cnPool needs featureGates.cnLabel'],
    [{ replicaCount: 2, args: [] }, 'Add -leader-elect to args'],
    [{ replicaCount: 2, args: ['-leader-elect', '--leader-elect=false'] }, 'Add -leader-elect to args'],
  ])('values that would mean something else, or run no operator or two, are refused: %j', async (values, message) => {
    await expect(operator(values)).rejects.toThrow(message);
  });

  test('texts that templates take for what they say are accepted, as upstream does', async () => {
    const { objects } = await operator({
      onlyWatchReleasedNS: 'true',
      rbac: { create: 'true' },
      serviceAccount: { create: 'true' },
      podDisruptionBudget: { create: '' },
      replicaCount: '2',
    });
    const names = [...objects.keys()];
    expect(names).toContain('Role/mo-matrixone-operator');
    expect(names).not.toContain('PodDisruptionBudget/mo-matrixone-operator');
    const config = objects.get('ConfigMap/matrixone-operator-cm') as ConfigMap | undefined;
    expect(config?.data?.['onlyWatchReleasedNS']).toBe('true');
  });

  test('keys without a value are as if they were not there', async () => {
    const { get } = await operator({ podSecurityContext: null, securityContext: null, featureGates: null });
    const pod = get<Deployment>('Deployment/mo-matrixone-operator').spec?.template.spec;
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(pod?.containers[0]?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });

  test('without an election no second one comes while the first one is there', async () => {
    const strategy = async (args: readonly string[]) => {
      const { get } = await operator({ args });
      return get<Deployment>('Deployment/mo-matrixone-operator').spec?.strategy?.rollingUpdate?.maxSurge;
    };
    expect(await strategy(['-failover=false'])).toBe(0);
    for (const flag of ['-leader-elect', '--leader-elect', '--leader-elect=true', '-leader-elect=1'])
      expect(await strategy([flag])).toBeUndefined();
  });

  test('a values file of the upstream chart', async () => {
    const { get } = await operator({
      replicaCount: 2,
      image: { repository: 'a/b', tag: 't', pullPolicy: 'Always' },
      globalRegistryPrefix: 'r.example/',
      backupRestore: { image: 'mobr:1' },
      bucketCleanJob: { image: null },
      webhook: { createResource: true, secretName: '' },
      kruise: { enabled: true, featureGates: 'A=true', manager: { image: { repository: 'k' } } },
      imagePullSecrets: [{ name: 's' }],
      serviceAccount: { create: false, name: '' },
      podAnnotations: { a: 'b' },
      podSecurityContext: { fsGroup: 2000 },
      securityContext: { readOnlyRootFilesystem: false },
      resources: { limits: { memory: '128Mi' } },
      nodeSelector: { n: 'm' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      args: ['-leader-elect', '--metrics-bind-address', '127.0.0.1:9090', '-health-probe-bind-address=:7000'],
      defaultArgs: [{ name: 'cn', values: ['-x'] }],
      featureGates: { cnPool: false },
      env: { WHERE: '{{ .Release.Namespace }}', ALLOW_PRIVILEGED: true },
    });
    const { spec } = get<Deployment>('Deployment/mo-matrixone-operator');
    expect(spec?.replicas).toBe(2);
    const pod = spec?.template.spec;
    expect(spec?.template.metadata?.annotations).toMatchObject({ a: 'b' });
    expect(pod).toMatchObject({
      imagePullSecrets: [{ name: 's' }],
      serviceAccountName: 'default',
      securityContext: { fsGroup: 2000, runAsNonRoot: true },
      nodeSelector: { n: 'm' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
    });
    const [container] = pod?.containers ?? [];
    expect(container).toMatchObject({
      name: 'matrixone-operator',
      image: 'r.example/a/b:t',
      imagePullPolicy: 'Always',
      command: ['/manager'],
      resources: { limits: { memory: '128Mi' } },
      securityContext: { readOnlyRootFilesystem: false, allowPrivilegeEscalation: false },
      ports: [
        { name: 'metrics', containerPort: 9090 },
        { name: 'health', containerPort: 7000 },
        { name: 'webhook', containerPort: 9443 },
      ],
    });
    expect(container?.env?.slice(0, 2)).toEqual([
      { name: 'ALLOW_PRIVILEGED', value: 'true' },
      { name: 'WHERE', value: 'system' },
    ]);
    expect(container?.env?.map(({ name }) => name).slice(2)).toEqual(['POD_NAME', 'POD_NAMESPACE', 'POD_IP']);
    const { data } = get<ConfigMap>('ConfigMap/matrixone-operator-cm');
    expect(data).toMatchObject({
      defaultArgs: 'cn:\n  - -x\n',
      bucketCleanJob: 'image: "amazon/aws-cli:latest"\n',
      brConfig: 'image: "r.example/mobr:1"\n',
      onlyWatchReleasedNS: 'false',
    });
    expect(data?.['featureGates']).toMatch(/^cnPool: false$/m);
    get('PodDisruptionBudget/mo-matrixone-operator');
  });

  test('permissions are those that the operator declares, and no more', async () => {
    const { get } = await operator();
    const { rules } = get<ClusterRole>('ClusterRole/mo-matrixone-operator');
    const [last = 0, count = 0] = [rules?.length, matrixoneOperator.rules().length];
    // Those for kinds without a namespace come first, wherever they are declared.
    const sorted = (list: Role['rules'] = []) => list.map((rule) => JSON.stringify(rule)).sort();
    expect(sorted(rules?.slice(last - count - 1, -1))).toEqual(sorted([...matrixoneOperator.rules()]));
    const { cluster = [], namespaces = {} } = certificates.rules ?? {};
    expect(rules?.slice(0, last - count - 1)).toEqual(cluster);
    const near = get<Role>('Role/mo-matrixone-operator').rules ?? [];
    expect(near).toEqual(expect.arrayContaining([...(namespaces['system'] ?? [])]));
    expect(new Set(near.flatMap(({ resources }) => resources))).toEqual(new Set(['leases', 'secrets']));
  });

  test('in one namespace they are a Role', async () => {
    const { get } = await operator({ onlyWatchReleasedNS: true });
    const allowed = (rules: Role['rules'] = []) => rules.flatMap(({ resources = [] }) => resources);
    const near = allowed(get<Role>('Role/mo-matrixone-operator').rules);
    expect(near).toEqual(expect.arrayContaining(['matrixoneclusters', 'leases', 'pods', 'events']));
    const wide = allowed(get<ClusterRole>('ClusterRole/mo-matrixone-operator').rules);
    expect(wide.filter((resource) => near.includes(resource))).toEqual([]);
  });

  test('webhooks are called through webhook-service, in one namespace only where only that is watched', async () => {
    for (const onlyWatchReleasedNS of [false, true]) {
      const { get } = await operator({ onlyWatchReleasedNS });
      const webhooks = [
        ...(get<MutatingWebhookConfiguration>(`MutatingWebhookConfiguration/${configurations.mutating}`).webhooks ??
          []),
        ...(get<ValidatingWebhookConfiguration>(`ValidatingWebhookConfiguration/${configurations.validating}`)
          .webhooks ?? []),
      ];
      expect(webhooks.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'mmatrixonecluster.kb.io',
          'vmatrixonecluster.kb.io',
          'mcnset.kb.io',
          'vproxyset.kb.io',
        ]),
      );
      for (const { clientConfig, failurePolicy, namespaceSelector } of webhooks) {
        expect(clientConfig.service).toMatchObject({ namespace: 'system', name: 'webhook-service' });
        expect([failurePolicy, namespaceSelector?.matchLabels]).toEqual([
          'Fail',
          onlyWatchReleasedNS ? { 'kubernetes.io/metadata.name': 'system' } : undefined,
        ]);
      }
    }
  });

  test('with a Secret of their own, who brings it brings the configurations', async () => {
    const { own, get } = await operator({ webhook: { createResource: false, secretName: 'mine' } });
    expect(own.filter((name) => /Webhook|webhook/.test(name))).toEqual(['Service/webhook-service']);
    expect(get<ConfigMap>('ConfigMap/matrixone-operator-cm').data).not.toHaveProperty('webhook');
    const pod = get<Deployment>('Deployment/mo-matrixone-operator').spec?.template.spec;
    expect(pod?.volumes).toContainEqual({ name: 'certs', secret: { secretName: 'mine' } });
    expect(pod?.containers[0]?.volumeMounts).toContainEqual({
      name: 'certs',
      mountPath: '/tmp/k8s-webhook-server/serving-certs',
      readOnly: true,
    });
  });

  test('without a Secret and without configurations there are no webhooks; as upstream, nothing is filled in, if it is said with its variable', async () => {
    for (const [values, fills] of [
      [{ webhook: { createResource: false } }, ['true']],
      [{ env: { ENABLE_WEBHOOKS: 'false' } }, []],
    ] as const) {
      const { own, get } = await operator(values);
      expect(own.filter((name) => /webhook/i.test(name))).toEqual([]);
      const [container] = get<Deployment>('Deployment/mo-matrixone-operator').spec?.template.spec?.containers ?? [];
      const valuesOf = (name: string) => container?.env?.filter((one) => one.name === name).map(({ value }) => value);
      expect([valuesOf('ENABLE_WEBHOOKS'), valuesOf('FILL_DEFAULTS')]).toEqual([['false'], fills]);
    }
  });

  test('what is switched off is not there', async () => {
    const { own } = await operator({
      rbac: { create: false },
      serviceAccount: { create: false },
      metrics: { service: { create: false } },
      env: { ENABLE_WEBHOOKS: 'false' },
    });
    expect(own.sort()).toEqual(['ConfigMap/matrixone-operator-cm', 'Deployment/mo-matrixone-operator']);
  });

  test('there are probes and metrics, and they go when the flags say so', async () => {
    const usual = await operator({});
    const [main] = usual.get<Deployment>('Deployment/mo-matrixone-operator').spec?.template.spec?.containers ?? [];
    expect([main?.readinessProbe?.httpGet?.path, main?.livenessProbe?.httpGet?.path]).toEqual(['/readyz', '/healthz']);
    const args = ['-metrics-bind-address=0', '-health-probe-bind-address', '0'];
    const { own, get } = await operator({ args });
    expect(own.filter((name) => name.startsWith('Service/'))).toEqual(['Service/webhook-service']);
    const [container] = get<Deployment>('Deployment/mo-matrixone-operator').spec?.template.spec?.containers ?? [];
    expect(container?.ports).toEqual([{ name: 'webhook', containerPort: 9443 }]);
    expect([container?.readinessProbe, container?.livenessProbe]).toEqual([undefined, undefined]);
  });

  test('Helm keeps every CRD', async () => {
    const { objects } = await operator({ crds: { install: true } });
    for (const crd of matrixoneOperator.crds()) {
      const found = objects.get(`CustomResourceDefinition/${crd.metadata.name}`);
      expect(found).toEqual({
        ...crd,
        metadata: { ...crd.metadata, annotations: { ...crd.metadata.annotations, 'helm.sh/resource-policy': 'keep' } },
      });
    }
  });
});

describe('matrixone', () => {
  test('the spec is the cluster’s, as it is', async () => {
    const spec = {
      tp: { replicas: 2, nodeSelector: { a: 'b' } },
      imageRepository: 'matrixorigin/matrixone',
      version: '2.0',
    };
    const objects = await rendered(helm, charts.cluster, { spec });
    expect([...objects.keys()]).toEqual(['MatrixOneCluster/mo-matrixone']);
    expect(objects.get('MatrixOneCluster/mo-matrixone')).toMatchObject({
      spec,
      metadata: { labels: { 'app.kubernetes.io/name': 'matrixone', 'app.kubernetes.io/instance': 'mo' } },
    });
  });

  test('without a spec there is no such key; names are overridden as usual', async () => {
    const objects = await rendered(helm, charts.cluster, { fullnameOverride: 'db' });
    expect(objects.get('MatrixOneCluster/db')).not.toHaveProperty('spec');
  });

  test('the debugger', async () => {
    const objects = await rendered(helm, charts.cluster, { debugger: { enabled: true } }, 'matrixone');
    expect([...objects.keys()].sort()).toEqual([
      'ClusterRole/matrixone-debugger',
      'ClusterRoleBinding/matrixone-debugger',
      'Deployment/matrixone-debugger',
      'MatrixOneCluster/matrixone',
      'ServiceAccount/matrixone',
    ]);
    expect(objects.get('Deployment/matrixone-debugger')).toMatchObject({
      spec: {
        selector: { matchLabels: { 'app.kubernetes.io/instance': 'matrixone-debugger' } },
        template: { spec: { containers: [{ image: 'ubuntu:latest', command: ['tail', '-f', '/dev/null'] }] } },
      },
    });
  });
});
