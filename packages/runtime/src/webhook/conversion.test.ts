import type { KubeObject } from '@coxswain/k8s';
import { afterEach, expect, test } from 'vitest';
import { jsonLogger, seededRandom, systemClock, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { createAuthority } from '../pki/index.ts';
import { type Convertible, type WebhookServer, webhookServer } from './index.ts';
import { caller } from './test-caller.ts';

interface Versioned extends KubeObject {
  readonly spec: { readonly size?: unknown; readonly replicas?: unknown };
}

/** `size` of v1 is called `replicas` in v2. */
const Sized: Convertible = {
  group: 'demo.dev',
  kind: 'Sized',
  convert(object, to) {
    const { spec, metadata } = object as Versioned;
    if (spec.size === 'huge') throw new Error('there is no such size');
    const renamed = to.endsWith('v2') ? { replicas: spec.size } : { size: spec.replicas };
    const labels = { ...metadata.labels, converted: 'yes' };
    const made: Versioned = {
      apiVersion: to,
      kind: 'Sized',
      metadata: { ...metadata, name: 'other', uid: 'x', labels },
      spec: renamed,
    };
    return made;
  },
};

const authority = createAuthority({ clock: systemClock });
const running: WebhookServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop?.();
});

async function serve(kinds: readonly Convertible[] = [Sized]) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = jsonLogger({ write: (line) => lines.push(line), clock });
  const parts = { client: new TestApi(clock).client(), clock, random: seededRandom(1), log };
  const certificates = authority.issueServer(['hooks.system.svc']);
  const server = webhookServer({ ...parts, conversions: kinds, certificates, port: 0, host: '127.0.0.1' });
  running.push(server);
  await server.start(new AbortController().signal);
  const call = caller(server, authority.cert);
  const convert = (objects: readonly unknown[], desiredAPIVersion = 'demo.dev/v2') =>
    call('/convert?timeout=30s', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u1', desiredAPIVersion, objects },
    });
  return { call, convert, lines };
}

const sized = (name: string, size: unknown, more: object = {}) => ({
  apiVersion: 'demo.dev/v1',
  kind: 'Sized',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, annotations: { a: 'b' } },
  spec: { size },
  ...more,
});

test('all objects come back in their order, and of their metadata only labels and annotations change', async () => {
  const { convert } = await serve();
  const objects = Array.from({ length: 300 }, (_, i) => sized(`s${i}`, i === 7 ? 9007199254740993n : i));
  const { code, body } = await convert(objects);
  expect(code).toBe(200);
  expect(body).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' });
  const { uid, result, convertedObjects } = body.response;
  expect([uid, result]).toEqual(['u1', { status: 'Success' }]);
  expect(convertedObjects).toEqual(
    objects.map(({ metadata, spec: { size } }) => ({
      apiVersion: 'demo.dev/v2',
      kind: 'Sized',
      metadata: { ...metadata, labels: { converted: 'yes' } },
      spec: { replicas: size },
    })),
  );
});

test('an object that is there already stays as it is', async () => {
  const { convert } = await serve();
  const object = sized('s', 1, { apiVersion: 'demo.dev/v2' });
  expect((await convert([object])).body.response.convertedObjects).toEqual([object]);
});

test('one that fails fails all, and is named', async () => {
  const { convert, lines } = await serve();
  const { code, body } = await convert([sized('a', 1), sized('b', 'huge'), sized('c', 3)]);
  expect(code).toBe(200);
  expect(body.response).toMatchObject({
    uid: 'u1',
    convertedObjects: [],
    result: { kind: 'Status', status: 'Failure' },
  });
  const message = 'cannot convert Sized default/b of demo.dev/v1 to demo.dev/v2: there is no such size';
  expect(body.response.result.message).toBe(message);
  expect(lines.join('')).toContain('"object":"Sized default/b of demo.dev/v1"');
});

test.each([
  ['another kind', [sized('a', 1, { kind: 'Other' })], 'demo.dev/v2'],
  ['another group', [sized('a', 1, { apiVersion: 'other.dev/v1' })], 'demo.dev/v2'],
  ['a version of another group', [sized('a', 1)], 'other.dev/v2'],
])('%s is not converted', async (_, objects, desired) => {
  const { convert } = await serve();
  const { body } = await convert(objects, desired);
  expect(body.response.result).toMatchObject({
    status: 'Failure',
    message: expect.stringMatching(/no conversion is known/),
  });
});

test('a conversion that gives nothing fails', async () => {
  const { convert } = await serve([{ ...Sized, convert: () => undefined as unknown as KubeObject }]);
  expect((await convert([sized('a', 1)])).body.response.result.message).toMatch(/gave no object/);
});

test.each([
  ['no review', { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }, /must be a ConversionReview/],
  ['no request', { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' }, /has no request/],
  ['no uid', { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request: {} }, /has no uid/],
  [
    'a list with a text',
    {
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: 'u', desiredAPIVersion: 'v', objects: ['x'] },
    },
    /among its objects/,
  ],
])('a body with %s is refused with 400', async (_, body, message) => {
  const { call } = await serve();
  const answer = await call('/convert', body);
  expect([answer.code, answer.body.reason]).toEqual([400, 'BadRequest']);
  expect(answer.body.message).toMatch(message);
});
