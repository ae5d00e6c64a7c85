import {
  apiVersionOf,
  type CustomResourceDefinition,
  MutatingWebhookConfiguration,
  type ValidatingWebhook,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@coxswain/k8s';
import { checkConfigurationOptions } from './check-options.ts';
import type { Webhook, WebhookSettings } from './types.ts';
import { conversionPath } from './webhook-server.ts';

/** Where the API server finds the webhooks, and whom it trusts there. */
export interface WebhookAddress {
  /** Default: the Service `webhook-service` in the namespace `system`, which kubebuilder's overlays rename. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /** Instead of a service, up to the path: `https://192.168.0.7:9443`. */
  readonly url?: string;
  /** Base64 of PEM. Absent: something injects it later. */
  readonly caBundle?: string;
  /** `namespace/name` of a cert-manager Certificate, whose authority cert-manager injects. */
  readonly injectCaFrom?: string;
}

/** How webhooks are called where they do not say it themselves, and what the configurations are called. */
export interface ConfigurationOptions
  extends WebhookAddress,
    Omit<WebhookSettings, 'path' | 'name' | 'groups' | 'versions' | 'resources' | 'operations'> {
  /** Default `mutating-webhook-configuration` and `validating-webhook-configuration`. */
  readonly names?: { readonly mutating?: string; readonly validating?: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

type Side = 'mutating' | 'validating';

/**
 * The webhook configurations of webhooks, as kubebuilder makes them: a mutating one, a validating one, or both, as there are
 * handlers. Keys are in alphabetical order, so that their text is stable.
 * @throws TypeError when two webhooks have one name, an address or a time cannot be, or nobody reads an option
 */
export function webhookConfigurations(
  webhooks: readonly Webhook[],
  options: ConfigurationOptions = {},
): readonly (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[] {
  checkConfigurationOptions(options);
  const mutating = webhooks.filter(({ handlers }) => handlers.default);
  const validating = webhooks.filter(({ handlers }) => handlers.validate);
  return [
    ...(mutating.length > 0 ? [configuration('mutating', mutating, options)] : []),
    ...(validating.length > 0 ? [configuration('validating', validating, options)] : []),
  ];
}

/** The definition, converted by the webhook at `/convert`. @throws TypeError when the address cannot be */
export function withConversionWebhook(
  crd: CustomResourceDefinition,
  address: WebhookAddress,
): CustomResourceDefinition {
  const annotations = { ...crd.metadata.annotations, ...injectionOf(address) };
  const webhook = { clientConfig: clientConfig(address, conversionPath), conversionReviewVersions: ['v1'] };
  return {
    ...crd,
    metadata: { ...crd.metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: { ...crd.spec, conversion: { strategy: 'Webhook', webhook } },
  };
}

function configuration(side: Side, webhooks: readonly Webhook[], options: ConfigurationOptions) {
  const kind = side === 'mutating' ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;
  const names = webhooks.map((hook) => hook[side].name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new TypeError(`two ${side} webhooks are called ${twice}; give one of them another name`);
  const annotations = { ...options.annotations, ...injectionOf(options) };
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(options.labels ? { labels: options.labels } : {}),
      name: options.names?.[side] ?? `${side}-webhook-configuration`,
    },
    webhooks: webhooks.map((hook) => entry(side, hook, options)),
  };
}

function entry(side: Side, hook: Webhook, options: ConfigurationOptions): ValidatingWebhook {
  const { kind } = hook;
  const { name, path } = hook[side];
  const own: WebhookSettings = { ...options, ...defined(hook[side]) };
  const { timeoutSeconds } = own;
  if (
    timeoutSeconds !== undefined &&
    !(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 30)
  ) {
    throw new TypeError(
      `the webhook ${name} has timeoutSeconds ${timeoutSeconds}; it must be a whole number from 1 to 30`,
    );
  }
  return {
    admissionReviewVersions: own.admissionReviewVersions ?? ['v1'],
    clientConfig: clientConfig(options, path),
    failurePolicy: own.failurePolicy ?? 'Fail',
    ...(own.matchConditions ? { matchConditions: own.matchConditions } : {}),
    ...(own.matchPolicy ? { matchPolicy: own.matchPolicy } : {}),
    name,
    ...(own.namespaceSelector ? { namespaceSelector: own.namespaceSelector } : {}),
    ...(own.objectSelector ? { objectSelector: own.objectSelector } : {}),
    ...(side === 'mutating' && own.reinvocationPolicy ? { reinvocationPolicy: own.reinvocationPolicy } : {}),
    rules: [
      {
        apiGroups: own.groups ?? [kind.group],
        apiVersions: own.versions ?? [kind.version],
        operations: own.operations ?? operationsOf(side, hook),
        resources: own.resources ?? [kind.plural],
      },
    ],
    sideEffects: own.sideEffects ?? 'None',
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}

/** Settings that are there but undefined do not hide those of all. */
function defined(settings: WebhookSettings): WebhookSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function operationsOf(side: Side, { handlers: { validate = {} } }: Webhook): readonly string[] {
  if (side === 'mutating') return ['CREATE', 'UPDATE'];
  const { create, update, delete: remove } = validate;
  return [...(create ? ['CREATE'] : []), ...(update ? ['UPDATE'] : []), ...(remove ? ['DELETE'] : [])];
}

function clientConfig({ service, url, caBundle }: WebhookAddress, path: string): WebhookClientConfig {
  const trust = caBundle === undefined ? {} : { caBundle };
  if (url === undefined) {
    const { namespace, name, port } = service ?? { namespace: 'system', name: 'webhook-service' };
    return { ...trust, service: { name, namespace, path, ...(port === undefined ? {} : { port }) } };
  }
  if (service) throw new TypeError('webhooks are called through a service or at a url; give one of the two');
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
    throw new TypeError(`webhooks cannot be called at ${JSON.stringify(url)}; it must begin with https://`);
  }
  return { ...trust, url: `${url.replace(/\/+$/, '')}${path}` };
}

function injectionOf({ injectCaFrom }: WebhookAddress): Readonly<Record<string, string>> {
  return injectCaFrom === undefined ? {} : { 'cert-manager.io/inject-ca-from': injectCaFrom };
}
