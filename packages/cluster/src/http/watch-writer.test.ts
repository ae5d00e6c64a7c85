import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutgoingEvent } from '../apiserver/types.ts';
import type { HttpsServer } from './start-https.ts';
import { ask, authority, newWatch, startTestServer } from './test-server.ts';

let stream = newWatch();
let server: HttpsServer;
const nextWatch = () => {
  stream = newWatch();
  return stream;
};
const event = (name: string, filler = ''): OutgoingEvent => ({
  type: 'ADDED',
  object: Object.freeze({ name, filler }),
});

beforeAll(async () => {
  server = await startTestServer(async () => ({ kind: 'watch', stream }));
});
afterAll(() => server.close());

test('a watch is lines of JSON, and ends cleanly', async () => {
  const stream = nextWatch();
  const answer = ask('/api/v1/pods?watch=1', { to: server });
  await stream.started;
  stream.push([event('a'), event('b')]);
  stream.push([{ type: 'BOOKMARK', object: { kind: 'Pod' } }]);
  stream.end();
  const { bytes, headers } = await answer;
  expect(bytes.toString()).toBe(
    '{"type":"ADDED","object":{"name":"a","filler":""}}\n{"type":"ADDED","object":{"name":"b","filler":""}}\n{"type":"BOOKMARK","object":{"kind":"Pod"}}\n',
  );
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
});

test('the head of a watch comes before its first event, and leaving cancels it', async () => {
  const stream = nextWatch();
  const request = httpsRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/api/v1/pods?watch=true',
    ca: authority.cert,
    agent: false,
  });
  request.end();
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(200);
  request.on('error', () => {});
  request.destroy();
  await stream.cancelled;
});

test('many large events all arrive; a reader that stands still is cut off', async () => {
  const filler = 'x'.repeat(100_000);
  const large = nextWatch();
  const all = ask('/api/v1/pods?watch=1', { to: server });
  await large.started;
  large.push(Array.from({ length: 100 }, (_, i) => event(`e${i}`, filler)));
  large.end();
  expect((await all).bytes.toString().split('\n')).toHaveLength(101);

  const slow = nextWatch();
  const request = httpsRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/api/v1/pods?watch=1',
    ca: authority.cert,
    agent: false,
  });
  request.on('error', () => {});
  request.end();
  const [response] = await once(request, 'response');
  response.on('error', () => {});
  response.pause();
  let cut = false;
  void slow.cancelled.then(() => {
    cut = true;
  });
  for (let i = 0; i < 2000 && !cut; i++) {
    slow.push([event(`e${i}`, filler)]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(cut).toBe(true);
  request.destroy();
});
