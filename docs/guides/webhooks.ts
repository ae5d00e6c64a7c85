import type { Client } from '@coxswain/runtime/client';
import { type ServiceKey, selfSigned, webhook, webhookServer } from '@coxswain/runtime/webhook';
import { defineResource, fieldError, type ResourceType, s } from '@coxswain/schema';

export const Quota = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Quota',
  plural: 'quotas',
  scope: 'Namespaced',
  spec: s.object({ soft: s.int32().min(0).optional(), hard: s.int32().min(0) }),
});
export type Quota = ResourceType<typeof Quota>;

const findings = ({ spec }: Quota) => {
  const { soft = spec.hard, hard } = spec;
  if (soft > hard) return [fieldError.invalid('spec.soft', soft, 'must not be above spec.hard')];
  return hard > 1_000 ? ['spec.hard is above 1000: is that meant?'] : [];
};

export const quotas = webhook(Quota, {
  default(draft) {
    draft.spec.soft ??= Math.floor(draft.spec.hard / 2);
  },
  validate: { create: findings, update: findings },
});

export const names = { mutating: 'demo-mutating', validating: 'demo-validating' };

/** A runnable of the manager. `client` is a plain one: the manager's writes only while it leads. */
export function quotaServer(
  client: Client,
  options: { service?: ServiceKey; dnsNames?: string[]; namespace: string; port?: number },
) {
  const { namespace, port = 9443, ...reached } = options;
  const certificates = selfSigned({
    ...reached,
    secret: { namespace, name: 'quota-tls' },
    inject: { mutatingConfigurations: [names.mutating], validatingConfigurations: [names.validating] },
  });
  return webhookServer({ client, webhooks: [quotas], certificates, port });
}
