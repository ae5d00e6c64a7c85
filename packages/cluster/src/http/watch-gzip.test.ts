import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutgoingEvent } from '../apiserver/types.ts';
import type { HttpsServer } from './start-https.ts';
import { authority, newWatch, startTestServer, type TestWatch } from './test-server.ts';

let server: HttpsServer;
let stream: TestWatch;

beforeAll(async () => {
  server = await startTestServer(async () => ({ kind: 'watch', stream }));
});
afterAll(() => server.close());

/** The answer to a watch, when its head is there. */
async function watch(query: string, acceptEncoding?: string): Promise<IncomingMessage> {
  stream = newWatch();
  const asked = request({
    host: '127.0.0.1',
    port: server.port,
    path: `/api/v1/pods?watch=1${query}`,
    ca: authority.cert,
    agent: false,
    ...(acceptEncoding === undefined ? {} : { headers: { 'accept-encoding': acceptEncoding } }),
  });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  await stream.started;
  return answer;
}

const event = (name: string): OutgoingEvent => ({ type: 'ADDED', object: Object.freeze({ name }) });
const line = (name: string) => `{"type":"ADDED","object":{"name":"${name}"}}\n`;
const initial = '&sendInitialEvents=true&allowWatchBookmarks=true';

test.each<[string, string | undefined, boolean]>([
  [initial, 'gzip', true],
  [initial, 'br, gzip;q=0.5', true],
  ['&sendInitialEvents=1&allowWatchBookmarks=1', 'gzip', true],
  [initial, undefined, false],
  [initial, 'br', false],
  ['&sendInitialEvents=true', 'gzip', false],
  ['&allowWatchBookmarks=true', 'gzip', false],
  ['&sendInitialEvents=false&allowWatchBookmarks=true', 'gzip', false],
  ['', 'gzip', false],
])('a watch with %s for a client that takes %s: compressed is %s', async (query, acceptEncoding, isCompressed) => {
  const answer = await watch(query, acceptEncoding);
  expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual(
    isCompressed ? ['gzip', 'Accept-Encoding'] : [undefined, undefined],
  );
  answer.destroy();
  await stream.cancelled;
});

test('what is written together can be read at once, and the whole is one text', async () => {
  const answer = await watch(initial, 'gzip');
  const text = answer.pipe(createGunzip()).setEncoding('utf8');
  let read = '';
  for (const batch of [['a', 'b'], ['c'], Array.from({ length: 500 }, (_, n) => `n${n}`)]) {
    stream.push(batch.map(event));
    const expected = read + batch.map(line).join('');
    while (read.length < expected.length) read += String((await once(text, 'data'))[0]);
    expect(read).toBe(expected);
  }
  const ended = once(text, 'end');
  stream.end();
  await ended;
});

test('two watches that see the same are sent the same, whenever they came', async () => {
  const texts: string[] = [];
  const watches: TestWatch[] = [];
  const ends: Promise<unknown>[] = [];
  for (let n = 0; n < 2; n++) {
    const text = (await watch(initial, 'gzip')).pipe(createGunzip()).setEncoding('utf8');
    texts.push('');
    text.on('data', (chunk: string) => {
      texts[n] += chunk;
    });
    ends.push(once(text, 'end'));
    watches.push(stream);
  }
  const shared = [event('a'), event('b')];
  for (const each of watches) {
    each.push(shared);
    each.end();
  }
  await Promise.all(ends);
  expect(texts).toEqual(Array(2).fill(line('a') + line('b')));
});
