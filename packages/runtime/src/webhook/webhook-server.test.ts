import type { KubeObject } from '@coxswain/k8s';
import { defineResource, fieldError, type ResourceType, s } from '@coxswain/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { apiError, jsonLogger, seededRandom, systemClock, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { prometheusMetrics } from '../metrics/index.ts';
import { createAuthority } from '../pki/index.ts';
import { Denied, type WebhookHandlers, type WebhookServer, webhook, webhookServer } from './index.ts';
import { caller, patchIn, reviewOf } from './test-caller.ts';

const Echo = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  spec: s.object({ text: s.string(), n: s.int32().optional(), list: s.list(s.object({ n: s.int32() })).optional() }),
});
type Echo = ResourceType<typeof Echo>;

// of today, as callers compare with the machine's own time
const authority = createAuthority({ clock: systemClock });
const pair = authority.issueServer(['hooks.system.svc']);
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

async function serve(handlers: WebhookHandlers<Echo>) {
  const metrics = await prometheusMetrics();
  const log = jsonLogger({ write: (line) => lines.push(line), level: 'debug', clock });
  const client = new TestApi(clock).client();
  const parts = { client, clock, random: seededRandom(1), log, metrics };
  const webhooks = [webhook(Echo, handlers)];
  const server = webhookServer({ ...parts, webhooks, certificates: pair, port: 0, host: '127.0.0.1' });
  running.push(server);
  await server.start(new AbortController().signal);
  const call = caller(server, authority.cert);
  return {
    server,
    call,
    metrics,
    mutate: call.bind(0, '/mutate-demo-dev-v1-echo'),
    validate: call.bind(0, '/validate-demo-dev-v1-echo'),
  };
}

const echo = (spec: object, rest: object = {}) => ({
  apiVersion: 'demo.dev/v1',
  kind: 'Echo',
  metadata: { name: 'e', namespace: 'default' },
  spec,
  ...rest,
});

test('a default sends back what it set, and nothing else', async () => {
  const { mutate } = await serve({
    default(draft) {
      draft.spec.n ??= 3;
    },
  });
  const big = { count: 9007199254740993n, float: 0.1 };
  const unknown = { unknown: { deep: [big] } };
  const answer = await mutate(reviewOf({ object: echo({ text: 'x', ...unknown }) }));
  expect(answer.body).toMatchObject({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'request-1', allowed: true, patchType: 'JSONPatch' },
  });
  expect(patchIn(answer)).toEqual([{ op: 'add', path: '/spec/n', value: 3 }]);
  const again = await mutate(reviewOf({ object: echo({ text: 'x', n: 3 }) }));
  expect(again.body.response).toEqual({ uid: 'request-1', allowed: true });
});

test('big integers reach a default as they are, and go back so', async () => {
  const { mutate } = await serve({
    default(draft) {
      const annotations = draft.metadata as { annotations?: Record<string, unknown> };
      annotations.annotations = { copied: (draft as unknown as { count: bigint }).count };
    },
  });
  const answer = await mutate(reviewOf({ object: echo({ text: 'x' }, { count: 9007199254740993n }) }));
  const value = { copied: 9007199254740993n };
  expect(patchIn(answer)).toEqual([{ op: 'add', path: '/metadata/annotations', value }]);
});

test('each operation comes to its validation, with what is known of the request', async () => {
  const seen: unknown[] = [];
  const { validate } = await serve({
    validate: {
      create: (object, { user, dryRun }) => void seen.push(['create', object.spec.text, user.username, dryRun]),
      update: (object, old, { subresource }) =>
        void seen.push(['update', object.spec.text, old.spec.text, subresource]),
      delete: (old, { operation }) => void seen.push(['delete', old.spec.text, operation]),
    },
  });
  const object = echo({ text: 'new' });
  const oldObject = echo({ text: 'old' });
  for (const request of [
    { object, dryRun: true },
    { operation: 'UPDATE', object, oldObject, subResource: 'status' },
    { operation: 'DELETE', object: null, oldObject },
    { operation: 'CONNECT', kind: { group: '', version: 'v1', kind: 'PodExecOptions' } },
  ]) {
    const { body } = await validate(reviewOf(request));
    expect(body.response).toEqual({ uid: 'request-1', allowed: true });
  }
  expect(seen).toEqual([
    ['create', 'new', 'ann', true],
    ['update', 'new', 'old', 'status'],
    ['delete', 'old', 'DELETE'],
  ]);
});

test('field errors deny as an API server words it, and warnings go along', async () => {
  const { validate } = await serve({
    validate: {
      create: ({ spec }) => [
        'echoes are deprecated',
        fieldError.invalid('spec.n', spec.n, 'must be odd'),
        fieldError.required('spec.text'),
      ],
    },
  });
  const { code, body } = await validate(reviewOf({ object: echo({ n: 2 }) }));
  expect(code).toBe(200);
  expect(body.response).toEqual({
    uid: 'request-1',
    allowed: false,
    warnings: ['echoes are deprecated'],
    status: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Invalid',
      code: 422,
      message: 'Echo.demo.dev "e" is invalid: [spec.n: Invalid value: 2: must be odd, spec.text: Required value]',
      details: {
        name: 'e',
        group: 'demo.dev',
        kind: 'Echo',
        causes: [
          { field: 'spec.n', reason: 'FieldValueInvalid', message: 'Invalid value: 2: must be odd' },
          { field: 'spec.text', reason: 'FieldValueRequired', message: 'Required value' },
        ],
      },
    },
  });
});

test('what a handler throws denies; only a mistake is logged as one', async () => {
  const thrown: unknown[] = [
    new Denied('not on Sundays'),
    apiError(429, 'TooManyRequests', 'later'),
    new TypeError('oops'),
    'text',
  ];
  const { validate, metrics } = await serve({
    validate: {
      create() {
        throw thrown.shift();
      },
    },
  });
  const statuses = [];
  while (thrown.length > 0) statuses.push((await validate(reviewOf({ object: echo({}) }))).body.response);
  expect(statuses.map(({ allowed, status: { code, reason, message } }) => [allowed, code, reason, message])).toEqual([
    [false, 403, 'Forbidden', 'not on Sundays'],
    [false, 429, 'TooManyRequests', 'later'],
    [false, 500, 'InternalError', 'oops'],
    [false, 500, 'InternalError', 'text'],
  ]);
  const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  expect(errors.map(({ err }) => err.message ?? err)).toEqual(['oops', 'text']);
  expect(errors[0]).toMatchObject({
    webhook: '/validate-demo-dev-v1-echo',
    name: 'e',
    user: 'ann',
    requestID: 'request-1',
  });
  expect(await metrics.text()).toContain('controller_runtime_webhook_panics_total 2');
});

test('another kind than its own does not reach a handler', async () => {
  const { validate } = await serve({ validate: { create: () => ['reached'] } });
  const kind = { group: 'demo.dev', version: 'v2', kind: 'Echo' };
  const { body } = await validate(reviewOf({ kind, object: echo({}) }));
  expect(body.response).toMatchObject({ allowed: false, status: { code: 400 } });
  expect(body.response.status.message).toMatch(/for Echo of demo.dev\/v1, not for Echo of demo.dev\/v2/);
});

test('a standby serves too, and a stop of the manager frees the port', async () => {
  const api = new TestApi(clock);
  const parts = { client: api.client(), clock, random: seededRandom(2) };
  const election = { namespace: 'system', lease: 'op' };
  const leader = createManager({ ...parts, name: 'op', election: { ...election, identity: 'a' } });
  await leader.start();
  const standby = createManager({ ...parts, name: 'op', election: { ...election, identity: 'b' } });
  const webhooks = [webhook(Echo, { validate: { create: () => ['heard'] } })];
  const server = webhookServer({ ...parts, webhooks, certificates: pair, port: 0, host: '127.0.0.1' });
  standby.add(server);
  const started = standby.start();
  const listening = Promise.race([started, until(() => server.port > 0)]);
  await listening;
  const { body } = await caller(server, authority.cert)('/validate-demo-dev-v1-echo', reviewOf({ object: echo({}) }));
  expect(body.response.warnings).toEqual(['heard']);
  await standby.stop();
  expect(server.port).toBe(0);
  await leader.stop();
});

test('two webhooks on one path are refused, and one without handlers', () => {
  const hook = webhook(Echo, { default() {} });
  const client = new TestApi(clock).client();
  expect(() => webhookServer({ client, webhooks: [hook, hook], certificates: pair })).toThrow(
    /two webhooks.*mutate-demo/,
  );
  expect(() => webhook(Echo, {})).toThrow(/no handler/);
});

/** Lets input and output go on until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test.each([
  ['no review', { kind: 'Pod' }, /must be an AdmissionReview/],
  ['null', null, /must be an AdmissionReview/],
  ['a list', [], /must be an AdmissionReview/],
  ['no request', { ...reviewOf({}), request: undefined }, /has no request/],
  ['no uid', reviewOf({ uid: '' }), /uid is missing/],
  ['no kind', reviewOf({ kind: undefined }), /kind is missing/],
  ['another operation', reviewOf({ operation: 'LOOK' }), /operation must be/],
  ['no object', reviewOf({}), /object is missing/],
  ['a text as object', reviewOf({ object: 'x' }), /object is missing/],
  ['no old object', reviewOf({ operation: 'UPDATE', object: echo({}) }), /oldObject is missing/],
])('a body with %s is refused with 400', async (_, body, message) => {
  const { validate } = await serve({ validate: { create: () => ['reached'] } });
  const answer = await validate(body);
  expect(answer.code).toBe(400);
  expect(answer.body).toMatchObject({ kind: 'Status', reason: 'BadRequest', message: expect.stringMatching(message) });
});

test('an object that is under a generated name is named by it in a refusal', async () => {
  const { validate } = await serve({ validate: { create: () => [fieldError.required('spec.text')] } });
  const object: KubeObject = { ...echo({}), metadata: { generateName: 'e-' } as KubeObject['metadata'] };
  const { body } = await validate(reviewOf({ name: '', object }));
  expect(body.response.status.message).toBe('Echo.demo.dev "e-" is invalid: spec.text: Required value');
});
