import {
  CustomResourceDefinition,
  type Kind,
  type KubeObject,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@coxswain/k8s';
import { type Client, type JsonPatchOperation, json } from '../../client/index.ts';

/** Names of the objects through which the API server learns whom to trust. */
export interface CaTargets {
  readonly mutatingConfigurations?: readonly string[];
  readonly validatingConfigurations?: readonly string[];
  /** CustomResourceDefinitions that are converted by webhook. */
  readonly definitions?: readonly string[];
}

/** One of them. */
export interface CaTarget {
  readonly kind: Kind;
  readonly name: string;
}

/** The Service that leads to a webhook server. */
export interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
}

/** Where in an object a webhook is called, and what must hold there for an index to mean the same webhook still. */
interface Place {
  readonly config: WebhookClientConfig;
  readonly path: string;
  readonly tests: readonly JsonPatchOperation[];
}

export function caTargets(targets: CaTargets): readonly CaTarget[] {
  const named = (kind: Kind, names: readonly string[] = []) => names.map((name) => ({ kind, name }));
  return [
    ...named(MutatingWebhookConfiguration, targets.mutatingConfigurations),
    ...named(ValidatingWebhookConfiguration, targets.validatingConfigurations),
    ...named(CustomResourceDefinition, targets.definitions),
  ];
}

/**
 * Sets `caBundle` where the object calls the service (without one: wherever it calls a webhook), if it is another. The patch
 * tests what was read, so that it changes nothing when the object is another by now.
 * @returns whether anything was changed; nothing is when there is no such object
 * @throws ApiError 422 when a test failed: try again
 */
export async function injectCa(
  client: Client,
  { kind, name }: CaTarget,
  caBundle: string,
  service: ServiceKey | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const object = await client.of(kind).find({ name }, { signal });
  const stale = object
    ? placesIn(object).filter(({ config }) => calls(config, service) && config.caBundle !== caBundle)
    : [];
  if (stale.length === 0) return false;
  const operations = stale.flatMap(({ tests, path }): JsonPatchOperation[] => [
    ...tests,
    { op: 'add', path: `${path}/caBundle`, value: caBundle },
  ]);
  await client.of(kind).patch({ name }, json(operations), { signal });
  return true;
}

function placesIn(object: KubeObject): readonly Place[] {
  if ('webhooks' in object) {
    const { webhooks = [] } = object as MutatingWebhookConfiguration;
    return webhooks.map(({ name, clientConfig }, index) => {
      const tests = [
        { op: 'test', path: `/webhooks/${index}/name`, value: name } as const,
        { op: 'test', path: `/webhooks/${index}/clientConfig`, value: clientConfig } as const,
      ];
      return { config: clientConfig, path: `/webhooks/${index}/clientConfig`, tests };
    });
  }
  const config = (object as Partial<CustomResourceDefinition>).spec?.conversion?.webhook?.clientConfig;
  if (!config) return [];
  const path = '/spec/conversion/webhook/clientConfig';
  return [{ config, path, tests: [{ op: 'test', path, value: config }] }];
}

function calls({ service }: WebhookClientConfig, wanted: ServiceKey | undefined): boolean {
  return !wanted || (service?.namespace === wanted.namespace && service.name === wanted.name);
}
