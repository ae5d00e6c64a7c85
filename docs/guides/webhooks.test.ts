import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { applyAny, createClient, createDiscovery } from '@coxswain/runtime/client';
import { isInvalid } from '@coxswain/runtime/core';
import { webhookConfigurations } from '@coxswain/runtime/webhook';
import { startTestCluster } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { names, Quota, quotaServer, quotas } from './webhooks.ts';

test('a quota gets its default, a wrong one is denied with the field, a large one warned of', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  await installCrds(client, [Quota.crd()]);
  const warnings: string[] = [];
  const transport = await world.transport();
  const user = createClient({ transport, onWarning: (text) => warnings.push(text) });
  const server = quotaServer(user, { namespace, dnsNames: ['127.0.0.1'], port: 0 });
  const manager = await world.manager();
  manager.add(server);
  await manager.start();
  const url = `https://127.0.0.1:${server.port}`;
  for (const manifest of webhookConfigurations([quotas], { url, names }))
    await applyAny(client, createDiscovery(client), { ...manifest });

  const key = { namespace, name: 'a' };
  const create = (spec: object, dryRun = false) =>
    user.of(Quota).create({ metadata: key, ...({ spec } as { spec: Quota['spec'] }) }, { dryRun });
  await world.eventually(() => create({ soft: 3, hard: 2 }, true).then(() => false, isInvalid));
  await expect(create({ soft: 3, hard: 2 })).rejects.toThrow(
    'admission webhook "vquota-v1.kb.io" denied the request: Quota.demo.dev "a" is invalid: spec.soft: Invalid value: 3: must not be above spec.hard',
  );
  await world.eventually(async () => (await create({ hard: 7 }, true)).spec.soft === 3);
  expect((await create({ hard: 2_000 })).spec.soft).toBe(1_000);
  expect(warnings).toContain('spec.hard is above 1000: is that meant?');

  const webhooksOf = async () => [
    ...((await client.of(MutatingWebhookConfiguration).get({ name: names.mutating })).webhooks ?? []),
    ...((await client.of(ValidatingWebhookConfiguration).get({ name: names.validating })).webhooks ?? []),
  ];
  expect(
    (await webhooksOf()).map(({ failurePolicy, clientConfig }) => [failurePolicy, !!clientConfig.caBundle]),
  ).toEqual([
    ['Fail', true],
    ['Fail', true],
  ]);
});
