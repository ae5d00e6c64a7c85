import {
  CustomResourceDefinition,
  type KubeObject,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from '@coxswain/k8s';
import { afterEach, expect, test } from 'vitest';
import { json } from '../../client/index.ts';
import { apiError, jsonLogger, seededRandom, VirtualClock } from '../../core/index.ts';
import { TestApi } from '../../manager/test-api.ts';
import { prometheusMetrics } from '../../metrics/index.ts';
import { pemBlocks } from '../../pki/index.ts';
import { type WebhookServer, webhookServer } from '../index.ts';
import { caller } from '../test-caller.ts';
import { type SelfSignedOptions, selfSigned } from './self-signed.ts';

/** A tenth of a certificate's life. */
const tenth = 360_000;
const service = { namespace: 'system', name: 'hooks' };
const secret = { namespace: 'system', name: 'hooks-tls' };
const inject = { mutatingConfigurations: ['m'], validatingConfigurations: ['v'], definitions: ['echoes.demo.dev'] };
const running: WebhookServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop?.();
});

function world() {
  // callers compare certificates with the machine's own time, so the story ends half a tenth after it
  const clock = new VirtualClock(Date.now() - 6.5 * tenth);
  const api = new TestApi(clock);
  const client = api.client();
  const lines: string[] = [];
  const log = jsonLogger({ write: (line) => lines.push(line), clock });
  const serve = async (options: Partial<SelfSignedOptions> = {}, signal = new AbortController().signal) => {
    const times = { lifetime: 10 * tenth, renewBefore: 4 * tenth, overlap: tenth };
    const certificates = selfSigned({ secret, service, inject, ...times, ...options });
    const metrics = await prometheusMetrics();
    const parts = { client, clock, random: seededRandom(running.length + 1), log, metrics };
    const converter = { group: 'demo.dev', kind: 'Echo', convert: (object: KubeObject) => object };
    const server = webhookServer({ ...parts, conversions: [converter], certificates, port: 0, host: '127.0.0.1' });
    running.push(server);
    return { server, metrics, started: server.start(signal) };
  };
  const bundle = async () => {
    const { webhooks = [] } = await client.of(ValidatingWebhookConfiguration).get({ name: 'v' });
    return webhooks[0]?.clientConfig.caBundle ?? '';
  };
  return { clock, api, client, lines, serve, bundle };
}

const hook = (name: string, to: string) => ({
  name,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { service: { namespace: 'system', name: to, path: '/x', port: 443 } },
});

async function configure({ client }: ReturnType<typeof world>) {
  const webhooks = [hook('one.kb.io', 'hooks'), hook('two.kb.io', 'other'), hook('three.kb.io', 'hooks')];
  await client.of(ValidatingWebhookConfiguration).create({ metadata: { name: 'v' }, webhooks });
  await client.of(MutatingWebhookConfiguration).create({ metadata: { name: 'm' }, webhooks });
  const { clientConfig } = hook('', 'hooks');
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  await client
    .of(CustomResourceDefinition)
    .create({ metadata: { name: 'echoes.demo.dev' }, spec: { conversion } } as never);
}

const caOf = (caBundle: string): string => Buffer.from(caBundle, 'base64').toString();

/** What a caller that trusts the bundle is answered by: the serial number of the certificate. */
async function serial(server: WebhookServer, caBundle: string): Promise<string> {
  return (await caller(server, caOf(caBundle))('/convert', {})).serial;
}

test('a certificate is made, kept in a Secret, trusted where the service is called, and used', async () => {
  const t = world();
  await configure(t);
  const { server, started } = await t.serve();
  await started;
  await t.clock.advance(1000);
  const stored = await t.client.of(Secret).get(secret);
  expect(stored.type).toBe('kubernetes.io/tls');
  expect(Object.keys(stored.data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  const caBundle = stored.data?.['ca.crt'];
  for (const kind of [ValidatingWebhookConfiguration, MutatingWebhookConfiguration]) {
    const { webhooks = [] } = await t.client
      .of(kind)
      .get({ name: kind === ValidatingWebhookConfiguration ? 'v' : 'm' });
    expect(webhooks.map(({ clientConfig }) => clientConfig.caBundle)).toEqual([caBundle, undefined, caBundle]);
  }
  const { spec } = await t.client.of(CustomResourceDefinition).get({ name: 'echoes.demo.dev' });
  expect(spec.conversion?.webhook?.clientConfig?.caBundle).toBe(caBundle);
  const names = ['hooks.system.svc', 'hooks.system.svc.cluster.local'];
  for (const name of names) {
    expect((await caller(server, caOf(caBundle ?? ''), name)('/convert', {})).code).toBe(400);
  }
  await expect(caller(server, caOf(caBundle ?? ''), 'other.system.svc')('/convert', {})).rejects.toThrow(/altnames/);
});

test('over a rotation every caller is answered, whether it has heard of it or not; two replicas agree', async () => {
  const t = world();
  await configure(t);
  const [a, b] = [await t.serve(), await t.serve()];
  await Promise.all([a.started, b.started]);
  await t.clock.advance(1000);
  const replicas = [a.server, b.server];
  const seen: string[][] = [];
  let before = await t.bundle();
  for (let passed = 0; passed < 8; passed++) {
    const now = await t.bundle();
    const serials = [];
    for (const server of replicas) for (const trusted of [before, now]) serials.push(await serial(server, trusted));
    expect(new Set(serials).size).toBe(1);
    seen.push([serials[0] ?? '', String(pemBlocks(caOf(now)).length)]);
    before = now;
    if (passed < 7) await t.clock.advance(tenth);
  }
  const [first = '', last = ''] = [seen[0]?.[0], seen[7]?.[0]];
  expect(first).not.toBe(last);
  expect(seen).toEqual([...Array(6).fill([first, '1']), [first, '2'], [last, '2']]);
  expect(t.api.writes.filter((write) => write === 'POST /api/v1/namespaces/system/secrets').length).toBeLessThanOrEqual(
    2,
  );
  expect(await b.metrics.text()).toMatch(/certwatcher_read_certificate_total \d/);
});

test('a bundle that someone takes away comes back, and a new object gets its own', async () => {
  const t = world();
  const { started } = await t.serve();
  await started;
  await t.clock.advance(60_000);
  await configure(t);
  await t.clock.advance(1000);
  const caBundle = await t.bundle();
  expect(caBundle, t.lines.join('')).not.toBe('');
  const without = [{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: '' } as const];
  await t.client.of(ValidatingWebhookConfiguration).patch({ name: 'v' }, json(without));
  expect(await t.bundle()).toBe('');
  await t.clock.advance(1000);
  expect(await t.bundle()).toBe(caBundle);
});

test('a Secret that is deleted comes back as it was, as other replicas serve with it still', async () => {
  const t = world();
  await configure(t);
  const { server, started } = await t.serve();
  await started;
  await t.clock.advance(1000);
  const [before, caBundle] = [await t.client.of(Secret).get(secret), await t.bundle()];
  const used = await serial(server, caBundle);
  await t.client.of(Secret).delete(secret);
  await t.clock.advance(1000);
  const after = await t.client.of(Secret).get(secret);
  expect([after.data, after.type]).toEqual([before.data, before.type]);
  await t.client.of(Secret).update({ ...after, data: { other: 'eA==' } });
  await t.clock.advance(1000);
  expect((await t.client.of(Secret).get(secret)).data).toEqual({ ...before.data, other: 'eA==' });
  expect([await t.bundle(), await serial(server, caBundle)]).toEqual([caBundle, used]);
});

test('a restart goes on with what is stored, and makes a new one when the names are others', async () => {
  const t = world();
  await configure(t);
  const first = await t.serve();
  await first.started;
  await t.clock.advance(1000);
  const used = await serial(first.server, await t.bundle());
  await first.server.stop?.();
  const second = await t.serve();
  await second.started;
  expect(await serial(second.server, await t.bundle())).toBe(used);
  await second.server.stop?.();
  const third = await t.serve({ dnsNames: ['hooks.example.com'] });
  await third.started;
  await t.clock.advance(1000);
  expect(await serial(third.server, await t.bundle())).not.toBe(used);
});

test('a Secret with a certificate from elsewhere is not touched; an empty one is taken', async () => {
  const t = world();
  const data = { 'tls.crt': 'eA==', 'tls.key': 'eA==' };
  await t.client.of(Secret).create({ metadata: secret, data });
  const { started } = await t.serve({ inject: {} });
  await t.clock.advance(10_000);
  expect((await t.client.of(Secret).get(secret)).data).toEqual(data);
  expect(t.lines.join('')).toMatch(/Secret system\/hooks-tls holds a certificate that was not made here/);
  const { metadata } = await t.client.of(Secret).get(secret);
  await t.client.of(Secret).update({ metadata, data: { other: 'eA==' } });
  await t.clock.advance(60_000);
  await started;
  expect(Object.keys((await t.client.of(Secret).get(secret)).data ?? {})).toContain('other');
  expect(t.lines.join('')).not.toMatch(/PRIVATE KEY/);
});

test('a server that fails is asked again, and a stop meanwhile ends the start', async () => {
  const t = world();
  let failing = true;
  t.api.intercept = ({ path }) => {
    if (failing && path.includes('/secrets')) throw apiError(500, 'InternalError', 'etcd is away');
  };
  const { started, metrics } = await t.serve({ inject: {} });
  await t.clock.advance(30_000);
  expect(await metrics.text()).not.toMatch(/certwatcher_read_certificate_errors_total 0/);
  failing = false;
  await t.clock.advance(60_000);
  await started;
  failing = true;
  const abort = new AbortController();
  const other = await t.serve({ inject: {}, secret: { namespace: 'system', name: 'other' } }, abort.signal);
  const ended = expect(other.started).rejects.toThrow(/over/);
  await t.clock.advance(1000);
  abort.abort(new Error('over'));
  await ended;
});

test('there must be a name', () => {
  expect(() => selfSigned({ secret })).toThrow(/needs a service, or dnsNames/);
});

test('what keeps the certificate away is told at once and then at growing intervals', async () => {
  const t = world();
  let refused = true;
  t.api.intercept = ({ path }) => {
    if (refused && path.includes('/secrets')) throw apiError(403, 'Forbidden', 'cannot get secrets');
  };
  const { started } = await t.serve({ inject: {} });
  const told = () => t.lines.filter((line) => line.includes('serving certificate: trying again')).length;
  await t.clock.advance(10_000);
  expect(told()).toBe(1);
  await t.clock.advance(590_000);
  expect(told()).toBe(4);
  refused = false;
  await t.clock.advance(60_000);
  await started;
  expect(told()).toBe(4);
});
