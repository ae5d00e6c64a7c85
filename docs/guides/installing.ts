import type { Deployment, KubeObject, Service } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Logger } from '@coxswain/runtime/core';
import { createManager, type Operator } from '@coxswain/runtime/manager';
import { rbacObjects, rulesOf } from '@coxswain/runtime/manifests';
import { healthServer } from '@coxswain/runtime/serving';
import { selfSigned, webhookConfigurations, webhookServer } from '@coxswain/runtime/webhook';
import { Greeting, greetings } from './first-operator.ts';
import { names, Quota, quotas } from './webhooks.ts';

const name = 'demo';
const namespace = 'demo-system';
const service = { namespace, name: 'demo-hooks' };
const election = { namespace, lease: name };
const certificates = selfSigned({
  secret: { namespace, name: 'demo-tls' },
  service,
  inject: { mutatingConfigurations: [names.mutating], validatingConfigurations: [names.validating] },
});

export const operator: Operator = {
  name,
  kinds: [Greeting, Quota],
  crds: () => [Greeting.crd(), Quota.crd()],
  setup: greetings,
};

/** What runs in the pod. */
export function setUp(client: Client, { log, port, healthPort }: { log: Logger; port: number; healthPort: number }) {
  const manager = createManager({ client, name, log, election });
  operator.setup(manager);
  const hooks = webhookServer({ client, webhooks: [quotas], certificates, port, log });
  manager.add(hooks);
  manager.add(healthServer({ manager, port: healthPort }));
  return { manager, hooks };
}

export const rules = rulesOf(operator, { election, certificates });

const labels = { 'app.kubernetes.io/name': name };

const door: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...service, labels },
  spec: { selector: labels, ports: [{ port: 443, targetPort: 9443 }] },
};

const deployment = (image: string): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name, labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [{ name, image, readinessProbe: { httpGet: { path: '/readyz', port: 8081 } } }],
      },
    },
  },
});

/** All that `kubectl apply` needs, in its order. */
export const manifests = (image: string): readonly KubeObject[] => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
  ...operator.crds(),
  ...rbacObjects(rules, { name, user: `system:serviceaccount:${namespace}:${name}`, labels }),
  door,
  deployment(image),
  ...webhookConfigurations([quotas], { service, names, labels }),
];
