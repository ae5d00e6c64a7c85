import { request } from 'node:https';
import type { KubeObject } from '@coxswain/k8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonLogger, seededRandom, sleep, systemClock, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { prometheusMetrics } from '../metrics/index.ts';
import { createAuthority } from '../pki/index.ts';
import { type AdmissionContext, type WebhookServer, webhook, webhookServer } from './index.ts';
import { caller, reviewOf } from './test-caller.ts';

interface Note extends KubeObject {
  readonly text?: string;
}
const Note = { group: 'demo.dev', version: 'v1', kind: 'Echo', plural: 'echoes', scope: 'Namespaced' } as const;
const path = '/validate-demo-dev-v1-echo';
const authority = createAuthority({ clock: systemClock });
const running: WebhookServer[] = [];
let clock = new VirtualClock();
let lines: string[] = [];

beforeEach(() => {
  clock = new VirtualClock();
  lines = [];
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop?.();
});

async function serve(create: (object: Note, context: AdmissionContext) => Promise<undefined> = async () => undefined) {
  const metrics = await prometheusMetrics();
  const log = jsonLogger({ write: (line) => lines.push(line), level: 'debug', clock });
  const parts = { client: new TestApi(clock).client(), clock, random: seededRandom(1), log, metrics };
  const certificates = authority.issueServer(['hooks.system.svc']);
  const webhooks = [webhook<Note>(Note, { validate: { create } })];
  const server = webhookServer({ ...parts, webhooks, certificates, port: 0, host: '127.0.0.1' });
  running.push(server);
  await server.start(new AbortController().signal);
  const call = caller(server, authority.cert);
  /** A request whose body is not sent yet. */
  const open = (headers: Readonly<Record<string, string>>) => {
    const tls = { ca: authority.cert, servername: 'hooks.system.svc', agent: false } as const;
    const at = { host: '127.0.0.1', port: server.port, path, method: 'POST' } as const;
    const asked = request({ ...at, ...tls, headers: { 'content-type': 'application/json', ...headers } });
    const code = new Promise<number | undefined>((resolve, reject) => {
      asked.on('response', (response) => resolve(response.resume().statusCode));
      asked.on('error', reject);
    });
    return { asked, code };
  };
  return { server, call, open, metrics };
}

const note = (text = 'x') => reviewOf({ object: { metadata: { name: 'e' }, text } });

/** Lets input and output go on until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test.each([
  ['malformed JSON', path, { text: '{"apiVersion":' }, 400, /not valid JSON/],
  ['no body', path, { text: '' }, 400, /no body/],
  [
    'another content type',
    path,
    { headers: { 'content-type': 'text/yaml' } },
    415,
    /application\/json, not "text\/yaml"/,
  ],
  ['a body too large', path, { text: `"${'x'.repeat(7 * 1024 * 1024)}"` }, 413, /limit of 7340032 bytes/],
  ['an unknown path', '/validate-other', {}, 404, /no webhook is served at \/validate-other/],
  ['an odd path', '/%zz//..?timeout=x', {}, 404, /no webhook is served/],
  ['another method', path, { method: 'GET', text: '' }, 405, /answers POST only/],
])('%s is answered with a Status', async (_, at, options, code, message) => {
  const { call, metrics } = await serve();
  const answer = await call(at, note(), options);
  expect(answer.code).toBe(code);
  expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
  expect(answer.body.message).toMatch(message);
  expect((await call(path, note())).body.response.allowed).toBe(true);
  const counted = code === 404 || code === 405 ? [] : [`{webhook="${path}",code="${code}"} 1`];
  for (const line of counted)
    expect(await metrics.text()).toContain(`controller_runtime_webhook_requests_total${line}`);
});

test('the content type may say its character set', async () => {
  const { call } = await serve();
  const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
  expect((await call(path, note(), { headers })).code).toBe(200);
});

test('a body that turns out too large is not kept', async () => {
  const { open } = await serve();
  const { asked, code } = open({ 'transfer-encoding': 'chunked' });
  for (let i = 0; i < 8; i++) asked.write('x'.repeat(1024 * 1024));
  asked.end();
  expect(await code).toBe(413);
});

test('a slow handler is told to stop, and the caller hears of it before it gives up', async () => {
  const signals: AbortSignal[] = [];
  const { call, metrics } = await serve(async (_note, context) => {
    signals.push(context.signal);
    await sleep(context.clock, 60_000);
    return undefined;
  });
  const [short, long] = [call(`${path}?timeout=2s`, note()), call(`${path}?timeout=nonsense`, note())];
  await until(() => signals.length === 2);
  await clock.advance(1799);
  expect(await inFlight(metrics)).toBe(2);
  await clock.advance(1);
  expect(await short).toMatchObject({ code: 504, body: { reason: 'Timeout' } });
  expect((await short).body.message).toContain('no answer within 1.8s');
  await clock.advance(7700);
  expect((await long).code).toBe(504);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(await inFlight(metrics)).toBe(0);
});

async function inFlight(metrics: { text(): Promise<string> }): Promise<number> {
  const line = /controller_runtime_webhook_requests_in_flight\{[^}]*\} (\d+)/.exec(await metrics.text());
  return Number(line?.[1]);
}

test('a client that does not end its request is let go when its time is over', async () => {
  const { open, metrics } = await serve();
  const { asked, code } = open({ 'content-length': '100' });
  const closed = new Promise((resolve) => asked.once('close', resolve));
  asked.write('{');
  for (let count = 0; count !== 1; count = await inFlight(metrics))
    await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(10_000);
  expect(await code).toBe(504);
  await closed;
  expect(await inFlight(metrics)).toBe(0);
});

test('a client that goes away ends the wait for its answer', async () => {
  const signals: AbortSignal[] = [];
  const { open } = await serve(async (_note, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const { asked, code } = open({});
  code.catch(() => {});
  asked.end(JSON.stringify(note()));
  await until(() => signals.length === 1);
  asked.destroy();
  await until(() => signals[0]?.aborted === true);
});

test('64 callers at once get each their own answer', async () => {
  const waiting: (() => void)[] = [];
  const { call, metrics } = await serve(async ({ text }, { log }) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    log.info({ text }, 'seen');
    return undefined;
  });
  const calls = Array.from({ length: 64 }, (_, i) => {
    const { request: asked, ...review } = note(`n${i}`);
    return call(path, { ...review, request: { ...asked, uid: `uid-${i}` } });
  });
  await until(() => waiting.length === 64);
  expect(await inFlight(metrics)).toBe(64);
  for (const go of waiting.toReversed()) go();
  const answers = await Promise.all(calls);
  expect(answers.map(({ body }) => body.response.uid)).toEqual(Array.from({ length: 64 }, (_, i) => `uid-${i}`));
  expect(await metrics.text()).toContain(`controller_runtime_webhook_requests_total{webhook="${path}",code="200"} 64`);
  expect(await metrics.text()).toContain(`controller_runtime_webhook_latency_seconds_count{webhook="${path}"} 64`);
});

test('a stop lets running requests end, and cuts those that do not', async () => {
  const waiting: (() => void)[] = [];
  const { server, call } = await serve(() => new Promise((resolve) => waiting.push(() => resolve(undefined))));
  const ends = call(path, note());
  await until(() => waiting.length === 1);
  const hangs = call(`${path}?timeout=30s`, note());
  const cut = expect(hangs).rejects.toThrow();
  await until(() => waiting.length === 2);
  const stopped = server.stop?.();
  for (const go of waiting.splice(0, 1)) go();
  expect((await ends).body.response.allowed).toBe(true);
  await clock.advance(10_000);
  await Promise.all([stopped, cut]);
});

test('nothing of an object comes into logs or answers to bad requests', async () => {
  const { call } = await serve(async () => {
    throw new Error('failed');
  });
  const secret = 'hunter2-password';
  await call(path, note(secret));
  const answers = [
    await call(path, undefined, { text: `{"password":"${secret}"` }),
    await call(path, { kind: secret }),
    await call(path, reviewOf({ operation: 'UPDATE', object: { text: secret } })),
  ];
  expect(JSON.stringify(answers)).not.toContain(secret);
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.join('')).not.toContain(secret);
  expect(lines.join('')).not.toContain('PRIVATE KEY');
});

test('a stranger does not get in where callers need a certificate', async () => {
  const parts = { client: new TestApi(clock).client(), clock };
  const certificates = authority.issueServer(['hooks.system.svc']);
  const conversions = [{ group: 'demo.dev', kind: 'Echo', convert: (object: KubeObject) => object }];
  const at = { port: 0, host: '127.0.0.1', clientCa: authority.cert };
  const server = webhookServer({ ...parts, conversions, certificates, ...at });
  running.push(server);
  await server.start(new AbortController().signal);
  const ask = (own: object) =>
    new Promise<number | undefined>((resolve, reject) => {
      const tls = { ca: authority.cert, servername: 'hooks.system.svc', agent: false, ...own };
      const asked = request(
        { host: '127.0.0.1', port: server.port, path: '/convert', method: 'POST', ...tls },
        (response) => resolve(response.resume().statusCode),
      );
      asked.on('error', reject);
      asked.end('{}');
    });
  await expect(ask({})).rejects.toThrow();
  await expect(ask(createAuthority({ clock: systemClock }).issueClient({ name: 'x' }))).rejects.toThrow();
  expect(await ask(authority.issueClient({ name: 'kube-apiserver' }))).toBe(415);
});
