import { ConfigMap, Pod } from '@coxswain/k8s';
import { defineResource, s } from '@coxswain/schema';
import { describe, expect, test } from 'vitest';
import { webhook, webhookConfigurations, withConversionWebhook } from './index.ts';

const Captain = defineResource({
  group: 'crew.testproject.org',
  version: 'v1',
  kind: 'Captain',
  plural: 'captains',
  scope: 'Namespaced',
  spec: s.object({ n: s.int32().optional() }),
});
const both = webhook(Captain, { default() {}, validate: { create() {}, update() {} } });

describe('webhook configurations', () => {
  test('are what kubebuilder makes, unless told otherwise', () => {
    const rules = [
      {
        apiGroups: ['crew.testproject.org'],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['captains'],
      },
    ];
    const entry = (name: string, path: string) => ({
      admissionReviewVersions: ['v1'],
      clientConfig: { service: { name: 'webhook-service', namespace: 'system', path } },
      failurePolicy: 'Fail',
      name,
      rules,
      sideEffects: 'None',
    });
    expect(webhookConfigurations([both])).toEqual([
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'mutating-webhook-configuration' },
        webhooks: [entry('mcaptain-v1.kb.io', '/mutate-crew-testproject-org-v1-captain')],
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'validating-webhook-configuration' },
        webhooks: [entry('vcaptain-v1.kb.io', '/validate-crew-testproject-org-v1-captain')],
      },
    ]);
  });

  test('there is one only where there are handlers, for the operations it handles', () => {
    const validates = webhook(Pod, { validate: { delete() {} } });
    const configurations = webhookConfigurations([validates]);
    expect(configurations.map(({ kind }) => kind)).toEqual(['ValidatingWebhookConfiguration']);
    expect(configurations[0]?.webhooks?.[0]).toMatchObject({
      name: 'vpod-v1.kb.io',
      clientConfig: { service: { path: '/validate--v1-pod' } },
      rules: [{ apiGroups: [''], operations: ['DELETE'], resources: ['pods'] }],
    });
    expect(webhookConfigurations([])).toEqual([]);
  });

  test('every setting comes from the side, the webhook or all, in this order', () => {
    const settings = {
      failurePolicy: 'Ignore',
      matchPolicy: 'Exact',
      sideEffects: 'NoneOnDryRun',
      timeoutSeconds: 7,
      operations: ['*'],
      groups: ['a', 'b'],
      versions: ['v1', 'v2'],
      resources: ['captains', 'captains/status'],
      namespaceSelector: { matchLabels: { a: 'b' } },
      objectSelector: { matchLabels: { c: 'd' } },
      matchConditions: [{ name: 'n', expression: 'true' }],
      reinvocationPolicy: 'IfNeeded',
      admissionReviewVersions: ['v1', 'v1beta1'],
    } as const;
    const hook = webhook(
      Captain,
      { default() {}, validate: { create() {} } },
      { ...settings, mutating: { path: '/m', name: 'm.example.com', timeoutSeconds: 3 } },
    );
    const { operations, groups, versions, resources, reinvocationPolicy, ...rest } = settings;
    const rules = [{ apiGroups: groups, apiVersions: versions, operations, resources }];
    const options = {
      failurePolicy: 'Fail',
      timeoutSeconds: 30,
      url: 'https://10.0.0.1:9443/',
      caBundle: 'eA==',
    } as const;
    const [mutating, validating] = webhookConfigurations([hook], options);
    expect(mutating?.webhooks).toEqual([
      {
        ...rest,
        rules,
        reinvocationPolicy,
        name: 'm.example.com',
        timeoutSeconds: 3,
        clientConfig: { caBundle: 'eA==', url: 'https://10.0.0.1:9443/m' },
      },
    ]);
    const url = 'https://10.0.0.1:9443/validate-crew-testproject-org-v1-captain';
    expect(validating?.webhooks).toEqual([
      { ...rest, rules, name: 'vcaptain-v1.kb.io', clientConfig: { caBundle: 'eA==', url } },
    ]);
  });

  test('names, labels and where cert-manager takes the authority from', () => {
    const [mutating] = webhookConfigurations([both], {
      names: { mutating: 'op-mutating' },
      labels: { app: 'op' },
      annotations: { a: 'b' },
      injectCaFrom: 'system/serving-cert',
      service: { namespace: 'op', name: 'hooks', port: 8443 },
    });
    expect(mutating?.metadata).toEqual({
      name: 'op-mutating',
      labels: { app: 'op' },
      annotations: { a: 'b', 'cert-manager.io/inject-ca-from': 'system/serving-cert' },
    });
    const service = { namespace: 'op', name: 'hooks', port: 8443, path: '/mutate-crew-testproject-org-v1-captain' };
    expect(mutating?.webhooks?.[0]?.clientConfig).toEqual({ service });
  });

  test('what the server would refuse is refused here', () => {
    const pods = webhook({ ...ConfigMap, kind: 'Captain' }, { default() {} });
    expect(() => webhookConfigurations([both, pods])).toThrow(/two mutating webhooks are called mcaptain-v1.kb.io/);
    expect(() => webhookConfigurations([both], { timeoutSeconds: 31 })).toThrow(/timeoutSeconds 31.*1 to 30/);
    expect(() => webhookConfigurations([both], { url: 'http://x' })).toThrow(/must begin with https/);
    const service = { namespace: 'a', name: 'b' };
    expect(() => webhookConfigurations([both], { url: 'https://x', service })).toThrow(/one of the two/);
  });

  test('an option that nobody reads is refused', () => {
    const refused = (options: object) => expect(() => webhookConfigurations([both], options as never));
    refused({ timeoutSecond: 3 }).toThrow('did you mean `timeoutSeconds`?');
    refused({ names: { mutator: 'x' } }).toThrow('unknown option `mutator`');
    refused({ service: { namespace: 'a', name: 'b', prot: 1 } }).toThrow('did you mean `port`?');
  });
});

test('a definition is converted by the webhook', () => {
  const service = { namespace: 'op', name: 'hooks' };
  const { metadata, spec } = withConversionWebhook(Captain.crd(), { service, injectCaFrom: 'op/cert' });
  expect(metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': 'op/cert' });
  expect(spec.conversion).toEqual({
    strategy: 'Webhook',
    webhook: { clientConfig: { service: { ...service, path: '/convert' } }, conversionReviewVersions: ['v1'] },
  });
  expect(spec.group).toBe('crew.testproject.org');
});
