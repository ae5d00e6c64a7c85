import { createServer, type Server } from 'node:https';
import {
  ConfigMap,
  CustomResourceDefinition,
  type Kind,
  type KubeObject,
  ValidatingWebhookConfiguration,
} from '@coxswain/k8s';
import { systemClock } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, TestNetwork } from './test-network.ts';

let world: TestNetwork;
const servers: Server[] = [];
beforeEach(async () => {
  world = await TestNetwork.start();
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await world[Symbol.asyncDispose]();
});

type Json = Readonly<Record<string, unknown>>;
const authority = createAuthority({ clock: systemClock });
const caBundle = Buffer.from(authority.cert).toString('base64');
const asked: string[] = [];

/** A pod with a webhook server behind the Service `hooks`. @returns what ends it */
async function hook(name: string, answer: (request: Json) => Json): Promise<() => Promise<void>> {
  const { ip } = await world.pod(name, {}, { labels: { app: 'hooks' } });
  const server = createServer(authority.issueServer(['hooks.default.svc']), async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly request: Json };
    asked.push(name);
    const body = { ...review, request: undefined, response: { uid: review.request.uid, ...answer(review.request) } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen({ host: ip, port: 9443 }, resolve));
  return async () => {
    await world.setReady(name, false);
    server.closeAllConnections();
    server.close();
  };
}

const service = { namespace: 'default', name: 'hooks', port: 443 };

test('an admission webhook behind a Service of pods is called, and the next pod when one has gone', async () => {
  asked.length = 0;
  await world.service('hooks', { ports: [{ port: 443, targetPort: 9443 }] });
  const refuse = () => ({ allowed: false, status: { message: 'not today' } });
  const end = await hook('first', refuse);
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] };
  const webhook = {
    name: 'maps.hooks.example',
    clientConfig: { service: { ...service, path: '/validate' }, caBundle },
    rules: [rule],
    sideEffects: 'None' as const,
    admissionReviewVersions: ['v1'],
  };
  await world.create(ValidatingWebhookConfiguration, { metadata: { name: 'hooks' }, webhooks: [webhook] });
  const refused = () =>
    expect(world.create(ConfigMap, { metadata: { name: 'm' } })).rejects.toThrow(
      'admission webhook "maps.hooks.example" denied the request: not today',
    );
  await eventually(refused);
  await end();
  await hook('second', refuse);
  asked.length = 0;
  await eventually(refused);
  expect(asked).toEqual(['second']);
});

const things: Kind<KubeObject> = {
  group: 'hooks.example',
  version: 'v2',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
} as Kind<KubeObject>;

test('a conversion webhook behind a Service of pods is called', async () => {
  await world.service('hooks', { ports: [{ port: 443, targetPort: 9443 }] });
  await hook('converter', ({ objects, desiredAPIVersion }) => ({
    result: { status: 'Success' },
    convertedObjects: (objects as readonly Json[]).map((object) => ({ ...object, apiVersion: desiredAPIVersion })),
  }));
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object' as const } },
  });
  await world.create(CustomResourceDefinition, {
    metadata: { name: 'things.hooks.example' },
    spec: {
      group: 'hooks.example',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [version('v1', true), version('v2', false)],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { ...service, path: '/convert' }, caBundle },
        },
      },
    },
  });
  asked.length = 0;
  const made = await eventually(() => world.create(things, { metadata: { name: 't' } }));
  expect(made).toMatchObject({ apiVersion: 'hooks.example/v2', metadata: { name: 't' } });
  expect(asked).toContain('converter');
});
