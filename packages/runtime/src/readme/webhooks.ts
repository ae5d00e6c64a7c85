import type { Client } from '@coxswain/runtime/client';
import type { Manager } from '@coxswain/runtime/manager';
import { selfSigned, webhook, webhookConfigurations, webhookServer } from '@coxswain/runtime/webhook';
import { defineResource, fieldError, s } from '@coxswain/schema';

const Echo = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  spec: s.object({ text: s.string(), times: s.int32().optional() }),
});

const echoes = webhook(Echo, {
  default(draft) {
    draft.spec.times ??= 3;
  },
  validate: {
    create: ({ spec }) => (spec.text === '' ? [fieldError.required('spec.text')] : ['a warning for the user']),
  },
});

const service = { namespace: 'demo', name: 'hooks' };
const names = { mutating: 'demo-mutating', validating: 'demo-validating' };
const inject = { mutatingConfigurations: [names.mutating], validatingConfigurations: [names.validating] };
const certificates = selfSigned({ secret: { namespace: 'demo', name: 'hooks-tls' }, service, inject });

/** @param client a plain one, not the manager's */
export function serve(manager: Manager, client: Client): void {
  manager.add(webhookServer({ client, webhooks: [echoes], certificates, log: manager.log }));
}

/** To be applied once. */
export const manifests = webhookConfigurations([echoes], { service, names });
