import { ConfigMap } from '@coxswain/k8s';
import { child, desired } from '@coxswain/runtime/actor';
import type { Client } from '@coxswain/runtime/client';
import type { Manager } from '@coxswain/runtime/manager';
import type { PrometheusRegistry } from '@coxswain/runtime/metrics';
import { healthServer, metricsServer } from '@coxswain/runtime/serving';
import { type SelfSignedOptions, selfSigned, webhook, webhookServer } from '@coxswain/runtime/webhook';
import { defineVersions, fieldError, type ResourceType, s } from '@coxswain/schema';
import { Database } from './dependencies.ts';

const common = { database: s.string(), pages: s.int32().min(1).default(1) };
const status = s.object({ host: s.string().optional(), conditions: s.conditions().optional() });

/** Two versions: the older one had the title where the newer one has a catalog. */
export const Shops = defineVersions(
  {
    group: 'demo.dev',
    kind: 'Shop',
    plural: 'shops',
    scope: 'Namespaced',
    storage: 'v1',
    versions: {
      v1: {
        spec: s.object({ ...common, catalog: s.object({ title: s.string() }) }),
        status,
        subresources: { status: true },
      },
      v1alpha1: {
        deprecated: 'use v1',
        spec: s.object({ ...common, title: s.string() }),
        status,
        subresources: { status: true },
      },
    },
  },
  {
    v1alpha1: {
      toHub: ({ spec: { title, ...spec }, ...object }) => ({ ...object, spec: { ...spec, catalog: { title } } }),
      fromHub: ({ spec: { catalog, ...spec }, ...object }) => ({ ...object, spec: { ...spec, title: catalog.title } }),
    },
  },
);
export const Shop = Shops.version('v1');
export type Shop = ResourceType<typeof Shop>;

const databaseOf = ({ metadata: { namespace = '' }, spec }: Shop) => ({ namespace, name: spec.database });

/** A page each, once the database is ready. */
export const shop = desired<Shop>({
  owns: [ConfigMap],
  children: ({ metadata: { name, namespace }, spec }) =>
    Array.from({ length: spec.pages }, (_, page) =>
      child(ConfigMap, {
        metadata: { name: `${name}-${page + 1}`, namespace },
        data: { title: spec.catalog.title, database: spec.database },
      }),
    ),
  dependsOn: [Database],
  dependencies: (shop) => [{ kind: Database, key: databaseOf(shop) }],
});

const findings = ({ spec }: Shop) => {
  if (/[<>]/.test(spec.catalog.title)) {
    return [fieldError.invalid('spec.catalog.title', spec.catalog.title, 'must be text without markup')];
  }
  return spec.pages > 100 ? ['spec.pages is above 100: is that meant?'] : [];
};

/** What is checked before a shop is stored. */
export const shopWebhook = webhook(Shop, { validate: { create: findings, update: findings } });

export interface ShopParts {
  /** A plain one: the manager's writes only while it leads. */
  readonly client: Client;
  readonly metrics: PrometheusRegistry;
  /** Of the operator: the certificate is kept there. */
  readonly namespace: string;
  /** How the API server reaches the webhooks: by a Service, or by names. */
  readonly reached: Pick<SelfSignedOptions, 'service' | 'dnsNames'>;
  readonly ports: { readonly webhooks: number; readonly metrics: number; readonly health: number };
}

/** All of it in one manager: the actor, its webhooks and conversions, metrics and health. */
export function shopOperator(manager: Manager, { client, metrics, namespace, reached, ports }: ShopParts) {
  manager.actor(Shop, shop, { finalizer: 'demo.dev/shop' }).run();
  const inject = { validatingConfigurations: ['validating'], definitions: ['shops.demo.dev'] };
  const certificates = selfSigned({ ...reached, secret: { namespace, name: 'shop-tls' }, inject });
  const webhooks = webhookServer({
    client,
    webhooks: [shopWebhook],
    conversions: [Shops],
    certificates,
    port: ports.webhooks,
  });
  const scraped = metricsServer({ registry: metrics, port: ports.metrics });
  const health = healthServer({ manager, port: ports.health });
  for (const server of [webhooks, scraped, health]) manager.add(server);
  return { webhooks, scraped, health };
}
