import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import type { FilledStep, Prepared, RawAnswer, Stream, Target } from './types.ts';

// biome-ignore lint/suspicious/noExplicitAny: reviews are read as a webhook would, without types
type Loose = any;

/** What scenarios say instead of the address and the certificate of the webhook. */
export const hookUrl = 'https://hook.example';
export const hookBundle = 'SE9PSw==';

/** v1 has `spec.host` and `spec.port`, v2 has `spec.address`; both have `spec.replicas`. */
function convert(object: Loose, apiVersion: string): Loose {
  if (!object.spec) return { ...object, apiVersion };
  const { host, port, address, replicas } = object.spec;
  const [a, b] = String(address ?? '').split(':');
  const joined = host === undefined && port === undefined ? {} : { address: `${host}:${port}` };
  const split = address === undefined ? {} : { host: a, port: Number(b) };
  const spec = apiVersion.endsWith('/v2') ? joined : split;
  return { ...object, apiVersion, spec: { ...spec, ...(replicas === undefined ? {} : { replicas }) } };
}

const withMetadata = (object: Loose, more: object) => ({ ...object, metadata: { ...object.metadata, ...more } });

/** Odd answers, by what the label `do` of the first object asks for. */
const oddities: Readonly<Record<string, (review: Loose, converted: Loose) => Loose>> = {
  'no-response': (review) => ({ ...review, response: undefined }),
  'wrong-uid': (review) => ({ ...review, response: { ...review.response, uid: 'other' } }),
  'wrong-kind': (review) => ({ ...review, kind: 'AdmissionReview' }),
  'wrong-version': (review) => ({ ...review, apiVersion: 'apiextensions.k8s.io/v1beta1' }),
  failure: (review) => ({
    ...review,
    response: { ...review.response, result: { status: 'Failure', message: 'no way' } },
  }),
  'no-status': (review) => ({ ...review, response: { ...review.response, result: {} } }),
  'no-objects': (review) => ({ ...review, response: { ...review.response, convertedObjects: [] } }),
  'other-version': (review, object) => answering(review, { ...object, apiVersion: 'conv.example/v3' }),
  'no-version': (review, { apiVersion: _, ...object }) => answering(review, object),
  'other-kind': (review, object) => answering(review, { ...object, kind: 'Other' }),
  'other-name': (review, object) => answering(review, withMetadata(object, { name: 'other' })),
  'other-namespace': (review, object) => answering(review, withMetadata(object, { namespace: 'other' })),
  'other-uid': (review, object) => answering(review, withMetadata(object, { uid: 'other' })),
  'no-metadata': (review, { metadata: _, ...object }) => answering(review, object),
  'odd-labels': (review, object) => answering(review, withMetadata(object, { labels: 'text' })),
  'number-label': (review, object) => answering(review, withMetadata(object, { labels: { a: 1 } })),
  'bad-label': (review, object) => answering(review, withMetadata(object, { labels: { 'a b': 'c d' } })),
  'bad-annotation': (review, object) => answering(review, withMetadata(object, { annotations: { 'a b': 'c d' } })),
  'other-metadata': (review, object) =>
    answering(review, withMetadata(object, { labels: { x: 'y' }, annotations: { z: '1' }, finalizers: ['a/b'] })),
  'unknown-field': (review, object) => answering(review, { ...object, spec: { ...object.spec, odd: 1 }, top: 1 }),
};

function answering(review: Loose, object: Loose): Loose {
  return { ...review, response: { ...review.response, convertedObjects: [object] } };
}

function answerOf(text: string): { readonly code: number; readonly body: string } {
  const { request, apiVersion, kind } = JSON.parse(text);
  const wish = request.objects[0]?.metadata?.labels?.do ?? '';
  if (wish === 'broken') return { code: 500, body: 'went wrong' };
  if (wish === 'garbage') return { code: 200, body: 'no json' };
  if (wish === 'empty') return { code: 200, body: '' };
  const convertedObjects = request.objects.map((object: Loose) => convert(object, request.desiredAPIVersion));
  const review = { apiVersion, kind, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
  return { code: 200, body: JSON.stringify(oddities[wish]?.(review, convertedObjects[0]) ?? review) };
}

/** Puts other texts in the place of some, all through a JSON value. */
function replaced<T>(value: T, pairs: readonly (readonly [string, string])[]): T {
  const text = JSON.stringify(value);
  return text === undefined ? value : JSON.parse(pairs.reduce((all, [from, to]) => all.replaceAll(from, to), text));
}

/** A target behind two translations: of what is sent, and of what comes back. */
function translated(target: Target, pairs: readonly (readonly [string, string])[]): Target {
  const back = pairs.map(([from, to]) => [to, from] as const);
  const out = (step: FilledStep) => replaced(step, pairs);
  return {
    send: async (step) => replaced(await target.send(out(step)), back),
    async open(step) {
      const { answer, stream } = await target.open(out(step));
      const read: Stream | undefined = stream && {
        take: async (events, toEnd) => replaced(await stream.take(events, toEnd), back),
      };
      return { answer: replaced<RawAnswer>(answer, back), ...(read ? { stream: read } : {}) };
    },
  };
}

/** The target with a conversion webhook on loopback, which its scenarios know under {@link hookUrl}. */
export async function withConversionHook(target: Target): Promise<Prepared> {
  const authority = createAuthority({ clock: systemClock });
  const server = createServer(authority.issueServer(['127.0.0.1']), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { code, body } = answerOf(Buffer.concat(chunks).toString());
      response.writeHead(code, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    target: translated(target, [
      [hookUrl, url],
      [hookBundle, Buffer.from(authority.cert).toString('base64')],
    ]),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
