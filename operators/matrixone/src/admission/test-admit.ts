import { createClient } from '@coxswain/runtime/client';
import { ApiError } from '@coxswain/runtime/core';
import { selfSigned, webhookConfigurations, webhookServer } from '@coxswain/runtime/webhook';
import type { TestCluster } from '@coxswain/testing';
import { matrixoneWebhooks } from './index.ts';
import { objectOf, valid } from './test-rows.ts';

const webhooks = matrixoneWebhooks();

/** Serves the webhooks, and waits until the API server goes by them. */
export async function admit(world: TestCluster): Promise<void> {
  const names = { mutating: `mutating.${world.group}`, validating: `validating.${world.group}` };
  const inject = { mutatingConfigurations: [names.mutating], validatingConfigurations: [names.validating] };
  const secret = { namespace: world.namespace, name: 'hooks' };
  const certificates = selfSigned({ secret, dnsNames: ['127.0.0.1'], inject });
  const client = createClient({ transport: await world.transport(), fieldManager: 'webhooks' });
  const server = webhookServer({ client, webhooks, certificates, port: 0, host: '127.0.0.1' });
  const manager = await world.manager();
  manager.add(server);
  await manager.start();
  // Other tests may share the server, and have kinds of the same names.
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } };
  const options = { url: `https://127.0.0.1:${server.port}`, names, timeoutSeconds: 10, namespaceSelector };
  for (const { kind, ...configuration } of webhookConfigurations(webhooks, options)) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind?.toLowerCase()}s`;
    await world.client.raw({ method: 'POST', path, body: { ...configuration, kind } });
  }
  await world.eventually(async () => {
    const probes = [...valid.keys()].map((kind) => {
      const object = objectOf({ kind }, 'probe', world.namespace, {
        spec: { clusterDomain: 'a_b', proxy: { replicas: -1 } },
      });
      return refusal(world.client.of(kind).create(object, { dryRun: true }));
    });
    return (await Promise.all(probes)).every((causes) => causes.length > 0);
  });
}

/** What a call is refused for. */
export async function refusal(call: Promise<unknown>): Promise<readonly { field?: string; message?: string }[]> {
  try {
    await call;
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 422) throw error;
    return error.status.details?.causes ?? [{ message: error.message }];
  }
}
