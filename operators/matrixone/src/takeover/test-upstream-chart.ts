/**
 * The upstream chart as Helm sees it: objects under the names, labels and annotations that its users have, and OpenKruise's chart within
 * it. What its programs do is not of interest here: they do nothing.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CustomResourceDefinition, type KubeObject } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { stringify } from 'yaml';
import { matrixoneOperator } from '../operator.ts';
import { withoutRules } from '../scenario/test-world.ts';

/** Where programs can run that do something. */
export const onProcessNode = {
  nodeSelector: { 'coxswain.io/node-type': 'process' },
  tolerations: [{ key: 'only', operator: 'Equal', value: 'processes', effect: 'NoSchedule' }],
} as const;

/** Where OpenKruise's chart puts itself. */
export const kruiseNamespace = 'kruise-system';

/** Folders of charts. */
export interface UpstreamCharts extends AsyncDisposable {
  readonly operator: string;
  /** OpenKruise's alone, in the same version. */
  readonly kruise: string;
}

const template = (labels: object) => ({
  metadata: { labels },
  spec: { ...onProcessNode, containers: [{ name: 'manager', image: 'registry.k8s.io/pause:3.10' }] },
});

const service = (name: string, namespace: string, selector: object): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector, ports: [{ port: 443, targetPort: 9443 }] },
  }) as KubeObject;

function role(name: string, namespace: string, account: string, rules: readonly object[]): readonly KubeObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace } },
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    },
  ] as readonly KubeObject[];
}

/** The webhooks of kinds nobody writes here: who would answer does nothing. */
const webhooks = (kind: 'Mutating' | 'Validating', name: string, namespace: string, annotations: object): KubeObject =>
  ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name, annotations },
    webhooks: [
      {
        name: 'one.kb.io',
        clientConfig: { caBundle: 'Cg==', service: { name: 'kruise-webhook-service', namespace, path: '/one' } },
        rules: [{ apiGroups: ['none.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['ones'] }],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1', 'v1beta1'],
      },
    ],
  }) as unknown as KubeObject;

const bare = ({ metadata, spec }: CustomResourceDefinition) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: metadata.name },
  spec,
});

function kruiseObjects(crds: readonly CustomResourceDefinition[]): readonly object[] {
  const namespace = kruiseNamespace;
  const manager = { 'control-plane': 'controller-manager' };
  const daemon = { 'control-plane': 'daemon' };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: manager } },
    ...crds.map(bare),
    service('kruise-webhook-service', namespace, manager),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kruise-webhook-certs', namespace } },
    ...role('kruise-manager-role', namespace, 'kruise-manager', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]),
    webhooks('Mutating', 'kruise-mutating-webhook-configuration', namespace, { template: '' }),
    webhooks('Validating', 'kruise-validating-webhook-configuration', namespace, { template: '' }),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'kruise-controller-manager', namespace, labels: manager },
      spec: { replicas: 1, selector: { matchLabels: manager }, template: template(manager) },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'kruise-daemon', namespace, labels: daemon },
      spec: { selector: { matchLabels: daemon }, template: template(daemon) },
    },
  ];
}

/** @param release its name, in the names of objects, and its namespace */
function operatorObjects(release: string, namespace: string): readonly object[] {
  const name = `${release}-matrixone-operator`;
  const selector = { 'app.kubernetes.io/name': 'matrixone-operator', 'app.kubernetes.io/instance': release };
  const anything = ['apps.kruise.io', 'core.matrixorigin.io', 'coordination.k8s.io', ''];
  const own = (kind: 'Mutating' | 'Validating') =>
    webhooks(kind, `matrixone-operator-${kind.toLowerCase()}-webhook-${release}`, namespace, {
      'matrixorigin.io/ca-injection': 'y',
    });
  return [
    ...matrixoneOperator.crds().map((crd) => bare(withoutRules(crd))),
    ...role(name, namespace, name, [{ apiGroups: anything, resources: ['*'], verbs: ['*'] }]),
    own('Mutating'),
    own('Validating'),
    service('webhook-service', namespace, selector),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'matrixone-operator-cm', namespace },
      data: {
        defaultArgs: '{}',
        featureGates: 's3Reclaim: true\n',
        brConfig: 'image: br\n',
        onlyWatchReleasedNS: 'false',
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: {
        name: 'matrixone-operator-certs',
        namespace,
        annotations: { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-delete-policy': 'before-hook-creation' },
      },
      data: { caBundle: 'Cg==', 'tls.crt': 'Cg==', 'tls.key': 'Cg==' },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace, labels: selector },
      spec: { replicas: 1, selector: { matchLabels: selector }, template: template(selector) },
    },
  ];
}

async function writeChart(folder: string, about: object, objects: readonly object[]): Promise<void> {
  await mkdir(join(folder, 'templates'), { recursive: true });
  await writeFile(join(folder, 'Chart.yaml'), stringify({ apiVersion: 'v2', ...about }));
  for (const [i, object] of objects.entries()) {
    // JSON is YAML, and has nothing in it that is a template
    await writeFile(join(folder, 'templates', `object-${i}.yaml`), `${JSON.stringify(object)}\n`);
  }
}

/** Writes them for a release. @param client of a cluster that has OpenKruise's kinds */
export async function upstreamCharts(client: Client, release: string, namespace: string): Promise<UpstreamCharts> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-upstream-'));
  const operator = join(home, 'matrixone-operator');
  const kruise = join(home, 'kruise');
  const { items } = await client.of(CustomResourceDefinition).list();
  const objects = kruiseObjects(items.filter(({ metadata }) => metadata.name.endsWith('.kruise.io')));
  const about = { name: 'kruise', version: '1.4.0' };
  await writeChart(kruise, about, objects);
  await writeChart(join(operator, 'charts', 'kruise'), about, objects);
  const dependencies = [{ ...about, repository: 'file://charts/kruise', condition: 'kruise.enabled' }];
  const chart = { name: 'matrixone-operator', version: '1.3.0-alpha.3', dependencies };
  await writeChart(operator, chart, operatorObjects(release, namespace));
  return { operator, kruise, [Symbol.asyncDispose]: () => rm(home, { recursive: true }) };
}
