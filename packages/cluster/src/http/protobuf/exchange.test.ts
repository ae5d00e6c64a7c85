/** Protobuf through the HTTPS server: what clients ask for, send and get. */
import { deepFreeze } from '@coxswain/runtime/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse } from '../../apiserver/types.ts';
import { failureFormat, negotiate } from '../media-type.ts';
import type { HttpsServer } from '../start-https.ts';
import { ask, newWatch, startTestServer } from '../test-server.ts';
import { decodeMessage, decodeObject, encodeObject } from './index.ts';

const type = 'application/vnd.kubernetes.protobuf';
const partial = `${type};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
const path = '/api/v1/namespaces/default/configmaps';
const map = deepFreeze({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } });

let server: HttpsServer;
let asked: ApiRequest;
let answer: ApiResponse;

beforeAll(async () => {
  server = await startTestServer(async (request) => {
    asked = request;
    return answer;
  });
});
afterAll(() => server.close());
beforeEach(() => {
  answer = { kind: 'object', code: 200, body: map };
});

const get = (accept: string, at = path) => ask(at, { to: server, headers: { accept } });

describe('the form of the answer', () => {
  test.each([
    [`${type},application/json`, 'protobuf'],
    [`application/json,${type}`, 'json'],
    [`application/json;q=0.5,${type};q=0.9`, 'protobuf'],
    [`${type};as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1`, 'json'],
    [`${partial},application/json`, 'protobuf'],
    ['*/*', 'json'],
  ])('%s: %s', (accept, format) => {
    expect(negotiate(accept, { protobuf: true }).format).toBe(format);
  });

  test('custom resources have their metadata in protobuf only', () => {
    expect(negotiate(`${type},application/json`).format).toBe('json');
    expect(negotiate(`${partial},application/json`).format).toBe('protobuf');
    expect(() => negotiate(type)).toThrow(expect.objectContaining({ code: 406 }));
  });

  test('a failure is told in the first form that has no wishes', () => {
    expect(failureFormat(type)).toBe('protobuf');
    expect(failureFormat(`${partial},application/json`)).toBe('json');
    expect(failureFormat(partial)).toBe('json');
  });

  test('an object of a built-in kind', async () => {
    const { headers, bytes } = await get(`${type},application/json`);
    expect(headers['content-type']).toBe(type);
    expect(decodeObject(bytes)).toEqual(map);
    // The handler decides on forms of the object, not on bytes.
    expect(asked.accept).toBe('application/json');
    await get(`${partial},application/json`, '/apis/example.com/v1/things/x');
    expect(asked.accept).toBe('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
  });

  test('a failure', async () => {
    const body = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', reason: 'NotFound', code: 404 };
    answer = { kind: 'object', code: 404, body };
    const { code, headers, bytes } = await get(type);
    expect(code).toBe(404);
    expect(headers['content-type']).toBe(type);
    expect(decodeObject(bytes)).toEqual(body);
  });

  test('what has no protobuf form comes as JSON', async () => {
    answer = { kind: 'object', code: 200, body: { apiVersion: 'x/v1', kind: 'Thing' } };
    const { headers, body } = await get(type);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({ apiVersion: 'x/v1', kind: 'Thing' });
  });
});

describe('the body of a request', () => {
  const send = (method: string, body: Buffer, at = path) =>
    ask(at, { to: server, method, body, headers: { 'content-type': type, 'content-length': body.length } });

  test('is read', async () => {
    await send('POST', Buffer.concat(encodeObject(map)));
    expect(asked.body).toEqual(map);
    const options = { apiVersion: 'example.com/v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
    await send('DELETE', Buffer.concat(encodeObject(options)), '/apis/example.com/v1/things/x');
    expect(asked.body).toEqual(options);
  });

  test('comes with the reason when it is broken or custom', async () => {
    const fault = async (body: Buffer, at?: string) => {
      await send('POST', body, at);
      expect(asked.body).toBeUndefined();
      return asked.text?.fault;
    };
    expect(await fault(Buffer.from('{}'))).toMatch(/expected prefix \[107 56 115 0\]/);
    const broken = Buffer.from('6b3873000a0f0a0276311209436f6e6669674d617012020a7f', 'hex');
    expect(await fault(broken)).toBe('ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF');
    const custom = Buffer.from('6b3873000a0d0a06782e792f76311203466f6f', 'hex');
    expect(await fault(custom, '/apis/x.y/v1/foos')).toMatch(/^Foo in version "v1" cannot be handled/);
  });

  test('is no patch', async () => {
    await send('PATCH', Buffer.concat(encodeObject(map)));
    expect(asked.body).toBeUndefined();
    expect(asked.contentType).toBe(type);
  });
});

test('a watch is a row of frames with their lengths', async () => {
  const watch = newWatch();
  answer = { kind: 'watch', stream: watch };
  const answered = get(`${type};stream=watch`, `${path}?watch=true`);
  await watch.started;
  const gone = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 410 };
  watch.push([
    { type: 'ADDED', object: map },
    { type: 'ERROR', object: gone },
  ]);
  watch.end();
  const { headers, bytes } = await answered;
  expect(headers['content-type']).toBe(`${type};stream=watch`);
  const events: unknown[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const frame = bytes.subarray(at + 4, at + 4 + size);
    // WatchEvent { type = 1, object = 2 { raw = 1 } }, where the raw bytes have an envelope.
    const inner = frame.indexOf(Buffer.from([0x6b, 0x38, 0x73, 0]));
    expect(decodeMessage('io.k8s.api.core.v1.ContainerPort', frame.subarray(0, 2 + (frame[1] ?? 0)))).toMatchObject({
      name: events.length === 0 ? 'ADDED' : 'ERROR',
    });
    events.push(decodeObject(frame.subarray(inner)));
    at += 4 + size;
  }
  expect(events).toEqual([map, { ...gone, metadata: {} }]);
});

test('a watch is not to be had in YAML', () => {
  expect(() => negotiate('application/yaml', { stream: true, protobuf: true })).toThrow(
    'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
  );
});
