import { CustomResourceDefinition, type KubeObject, Secret, ValidatingWebhookConfiguration } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { createClient, json, merge } from '@coxswain/runtime/client';
import { ApiError, isForbidden, isInvalid } from '@coxswain/runtime/core';
import {
  type Convertible,
  Denied,
  selfSigned,
  type Webhook,
  type WebhookServer,
  webhook,
  webhookConfigurations,
  webhookServer,
  withConversionWebhook,
} from '@coxswain/runtime/webhook';
import { fieldError } from '@coxswain/schema';
import { expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { installWidgets, type Widget, type WidgetKind, widget, widgetIn } from './test-widget.ts';

interface Serving {
  readonly webhooks?: readonly Webhook[];
  readonly conversions?: readonly Convertible[];
  /** Names of the certificate; the address of the server must be among them. */
  readonly dnsNames?: readonly string[];
  readonly port?: number;
}

/** A manager that serves webhooks under a certificate of its own making, and the URL that the API server finds it at. */
async function serving(world: TestCluster, { dnsNames = ['127.0.0.1'], port = 0, ...hooks }: Serving) {
  const client = createClient({ transport: await world.transport(), fieldManager: 'webhooks' });
  const inject = {
    mutatingConfigurations: [`mutating.${world.group}`],
    validatingConfigurations: [`validating.${world.group}`],
    definitions: [`widgets.${world.group}`],
  };
  const certificates = selfSigned({ secret: { namespace: world.namespace, name: 'hooks' }, dnsNames, inject });
  const server = webhookServer({ client, ...hooks, certificates, port, host: '127.0.0.1' });
  const manager = await world.manager();
  manager.add(server);
  await manager.start();
  return { server, manager, url: `https://127.0.0.1:${server.port}` };
}

/** Makes the configurations known, and waits until the server goes by them. */
async function configure(world: TestCluster, server: WebhookServer, Widget: WidgetKind, hook: Webhook): Promise<void> {
  const names = { mutating: `mutating.${world.group}`, validating: `validating.${world.group}` };
  const url = `https://127.0.0.1:${server.port}`;
  for (const { kind, ...configuration } of webhookConfigurations([hook], { url, names, timeoutSeconds: 5 })) {
    const plural = `${kind?.toLowerCase()}s`;
    const path = `/apis/admissionregistration.k8s.io/v1/${plural}`;
    await world.client.raw({ method: 'POST', path, body: { ...configuration, kind } });
  }
  await world.eventually(async () => {
    const probe = widget(world.namespace, 'probe', { size: 666 });
    return isInvalid(await attempt(world.client.of(Widget).create(probe, { dryRun: true })));
  });
}

/** What a call failed with. */
async function attempt(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

test('an object is defaulted, refused and let go by typed handlers', async () => {
  await using world = await startTestCluster();
  const { client, namespace, group } = world;
  const Widget = await installWidgets(world);
  const seen: string[] = [];
  const hook = webhook(Widget, {
    default(draft, { user }) {
      draft.spec.tags ??= {};
      draft.spec.tags['by'] = user.username ?? '';
      if (draft.metadata.name === 'large') draft.spec.big = 9007199254740995n as unknown as number;
    },
    validate: {
      create({ spec, metadata }, { dryRun }) {
        if (!dryRun) seen.push(metadata.name);
        if (spec.size < 600) return undefined;
        return [fieldError.invalid('spec.size', spec.size, 'is too large')];
      },
      update({ spec }, old) {
        if (spec.size < old.spec.size) throw new Denied('widgets do not shrink');
        if (spec.size === 13) throw new TypeError('thirteen is unforeseen');
        return [];
      },
      delete(old) {
        if (old.metadata.labels?.['keep']) throw new Denied('it is to be kept');
      },
    },
  });
  const { server } = await serving(world, { webhooks: [hook] });
  await configure(world, server, Widget, hook);
  const widgets = client.of(Widget);
  const key = { namespace, name: 'a' };

  const made = await widgets.create(widget(namespace, 'a', { size: 2, big: 9007199254740993n as unknown as number }));
  expect(made.spec).toMatchObject({ size: 2, big: 9007199254740993n, tags: { by: expect.stringMatching(/./) } });
  expect(seen).toEqual(['a']);
  expect((await widgets.create(widget(namespace, 'large'))).spec.big).toBe(9007199254740995n);

  const large = await attempt(widgets.create(widget(namespace, 'b', { size: 700 })));
  expect(large).toBeInstanceOf(ApiError);
  expect(messageOf(large)).toBe(
    `admission webhook "vwidget-v1.kb.io" denied the request: Widget.${group} "b" is invalid: spec.size: Invalid value: 700: is too large`,
  );
  expect((large as ApiError).details).toMatchObject({
    causes: [{ field: 'spec.size', reason: 'FieldValueInvalid', message: 'Invalid value: 700: is too large' }],
  });

  const smaller = await attempt(widgets.patch(key, merge({ spec: { size: 1 } })));
  expect(isForbidden(smaller)).toBe(true);
  expect(messageOf(smaller)).toMatch(/denied the request: widgets do not shrink$/);
  const unforeseen = await attempt(widgets.patch(key, merge({ spec: { size: 13 } })));
  expect(messageOf(unforeseen)).toMatch(/denied the request: thirteen is unforeseen$/);

  await widgets.patch(key, merge({ metadata: { labels: { keep: 'yes' } } }));
  expect(messageOf(await attempt(widgets.delete(key)))).toMatch(/it is to be kept/);
  await widgets.patch(key, merge({ metadata: { labels: { keep: null } } }));
  await widgets.delete(key);
  expect(await widgets.find(key)).toBeUndefined();
});

test('the API server goes on calling when its trust is taken away, and when the certificate is another', async () => {
  await using world = await startTestCluster();
  const { client, namespace, group } = world;
  const Widget = await installWidgets(world);
  const hook = webhook(Widget, {
    validate: {
      create: ({ spec }) => (spec.size > 600 ? [fieldError.invalid('spec.size', spec.size, 'is too large')] : []),
    },
  });
  const first = await serving(world, { webhooks: [hook] });
  await configure(world, first.server, Widget, hook);
  const name = { name: `validating.${group}` };
  const bundle = async () =>
    (await client.of(ValidatingWebhookConfiguration).get(name)).webhooks?.[0]?.clientConfig.caBundle ?? '';
  const before = await bundle();
  const path = '/webhooks/0/clientConfig/caBundle';
  await client.of(ValidatingWebhookConfiguration).patch(name, json([{ op: 'remove', path }]));
  await world.eventually(async () => (await bundle()) === before, { what: 'the bundle is back' });
  await world.eventually(() => client.of(Widget).create(widget(namespace, 'a')));

  const { port } = first.server;
  await first.manager.stop();
  await serving(world, { webhooks: [hook], dnsNames: ['127.0.0.1', 'hooks.example.com'], port });
  await world.eventually(async () => (await bundle()) !== before, { what: 'another bundle' });
  await world.eventually(() => client.of(Widget).create(widget(namespace, 'b')));
  const stored = await client.of(Secret).get({ namespace, name: 'hooks' });
  expect(stored.data?.['ca.crt']).toBe(await bundle());
});

test('versions are converted both ways, in lists too, and a failure is told', async () => {
  await using world = await startTestCluster();
  const { client, clock, namespace, group } = world;
  const { spec, ...definition } = widgetIn(group).crd();
  const [v1] = spec.versions;
  if (!v1) throw new Error('the definition has a version');
  const open = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const v2 = { ...v1, name: 'v2', storage: false, schema: open, subresources: undefined } as unknown as typeof v1;
  const Sizes: Convertible = {
    group,
    kind: 'Widget',
    convert(object, to) {
      const { spec: from } = object as KubeObject & {
        readonly spec: { size?: number; length?: number; big?: unknown };
      };
      if (from.length === 404 || from.size === 404) throw new Error('that length cannot be had');
      const { size, length, ...rest } = from;
      const converted = to.endsWith('v2') ? { length: size, ...rest } : { size: length, ...rest };
      return { ...object, spec: converted } as KubeObject;
    },
  };
  const { url } = await serving(world, { conversions: [Sizes] });
  const crd = withConversionWebhook({ ...definition, spec: { ...spec, versions: [v1, v2] } }, { url });
  await installCrds(client, [crd], { clock });
  await world.until(
    CustomResourceDefinition,
    { name: crd.metadata.name },
    (found) => found?.spec.conversion?.webhook?.clientConfig?.caBundle !== undefined,
  );
  const big = 9007199254740993n as unknown as number;
  const [V1, V2] = [widgetIn(group), { ...widgetIn(group), version: 'v2' }];
  for (const [name, size] of [
    ['a', 1],
    ['b', 2],
  ] as const) {
    await world.eventually(() => client.of(V1).create(widget(namespace, name, { size, big })));
  }
  const lengths = await world.eventually(async () => {
    const { items } = await client.of(V2).list({ namespace });
    return items.map(({ spec: { length } }: { spec: Widget['spec'] & { length?: number } }) => length);
  });
  expect(lengths).toEqual([1, 2]);
  await client.of(V2).patch({ namespace, name: 'a' }, merge({ spec: { length: 7 } }));
  expect((await client.of(V1).get({ namespace, name: 'a' })).spec).toMatchObject({ size: 7, big });
  await client.of(V1).create(widget(namespace, 'c', { size: 404 }));
  const failed = await attempt(client.of(V2).get({ namespace, name: 'c' }));
  expect(messageOf(failed)).toMatch(/that length cannot be had/);
});

test('what a webhook server has to say about a wrong path or a late answer is shown to the user', async () => {
  await using world = await startTestCluster();
  const { client, namespace, group } = world;
  const Widget = await installWidgets(world);
  const never = webhook(Widget, { validate: { update: () => new Promise(() => {}), create: () => {} } });
  const elsewhere = webhook(
    Widget,
    { validate: { delete() {} } },
    { validating: { path: '/other', name: 'other.test.dev' } },
  );
  const { server } = await serving(world, { webhooks: [never] });
  const options = {
    url: `https://127.0.0.1:${server.port}`,
    names: { validating: `validating.${group}` },
    timeoutSeconds: 1,
  };
  for (const configuration of webhookConfigurations([never, elsewhere], options)) {
    await client.of(ValidatingWebhookConfiguration).create(configuration);
  }
  const key = { namespace, name: 'a' };
  await world.eventually(() => client.of(Widget).create(widget(namespace, 'a')));
  const wrong = await world.eventually(async () => {
    const error = await attempt(client.of(Widget).delete(key, { dryRun: true }));
    return messageOf(error).includes('no webhook is served') && error;
  });
  expect(messageOf(wrong)).toMatch(
    /failed calling webhook "other.test.dev".*no webhook is served at \/other; compare the path/,
  );
  const late = await attempt(client.of(Widget).patch(key, merge({ spec: { size: 3 } })));
  expect(messageOf(late)).toMatch(/failed calling webhook "vwidget-v1.kb.io".*no answer within 0.9s/);
});
