import { request } from 'node:https';
import { ConfigMap } from '@coxswain/k8s';
import { createClient, httpTransport, isTransient, loadKubeconfig, type Transport } from '@coxswain/runtime/client';
import { ApiError, seededRandom } from '@coxswain/runtime/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { failure } from '../test-failure.ts';
import { type FaultProxy, randomFaults, startFaultProxy } from './index.ts';

let world: TestCluster;
let proxy: FaultProxy;
let transport: Transport;
beforeAll(async () => {
  world = await startTestCluster({ http: true });
});
afterAll(() => world.stop());
beforeEach(async () => {
  proxy = await startFaultProxy({ kubeconfig: world.kubeconfig() });
  transport = httpTransport(await loadKubeconfig({ text: proxy.kubeconfig() }));
});
afterEach(async () => {
  await transport.close();
  await proxy.stop();
});

const maps = () => createClient({ transport }).of(ConfigMap);
const path = () => `/api/v1/namespaces/${world.namespace}/configmaps`;
const list = () => transport.send({ method: 'GET', path: path() });
const openWatch = () =>
  transport.watch({ method: 'GET', path: path(), query: { watch: 'true', resourceVersion: '0' } });
const create = (name: string) => world.client.of(ConfigMap).create({ metadata: { name, namespace: world.namespace } });

test('everything passes, as administrator, and is counted', async () => {
  const { namespace } = world;
  await maps().create({ metadata: { name: 'p1', namespace }, data: { long: 'x'.repeat(500_000) } });
  expect((await maps().get({ namespace, name: 'p1' })).data?.['long']?.length).toBe(500_000);
  await maps().list({ namespace });
  const stream = await openWatch();
  for await (const [event] of stream) {
    expect(event?.type).toBe('ADDED');
    break;
  }
  expect(proxy.counts).toMatchObject({ requests: 4, lists: 1, watches: 1, writes: 1, disturbed: 0 });
});

test('who does not have the token of the proxy is refused', async () => {
  const connection = await loadKubeconfig({ text: proxy.kubeconfig() });
  const { ca = '' } = await connection.credentials.current();
  const credentials = { current: async () => ({ ca, token: 'other' }), refused: () => false };
  const stranger = httpTransport({ ...connection, credentials });
  const error = await failure(stranger.send({ method: 'GET', path: '/version' }));
  expect(error instanceof ApiError && error.code).toBe(401);
  await stranger.close();
});

test('reset: watches and calls break, the next call goes through', async () => {
  const stream = await openWatch();
  const broken = failure(Array.fromAsync(stream));
  await list();
  proxy.inject({ fault: 'reset' });
  expect(isTransient(await broken)).toBe(true);
  await world.eventually(() => list());
  expect(proxy.counts.disturbed).toBeGreaterThan(0);
});

test('half-open: what is open says nothing more, new connections wait and then work', async () => {
  await list();
  const stream = await openWatch();
  const seen: string[] = [];
  const reading = failure(
    (async () => {
      for await (const events of stream)
        for (const { object } of events) seen.push((object as ConfigMap).metadata.name);
    })(),
  );
  await world.eventually(() => seen.length > 0);
  const before = [...seen];
  const started = performance.now();
  proxy.inject({ fault: 'halfOpen', ms: 150 });
  await create('unheard');
  // the pooled connection is lost: it breaks when it is used after the silence, and a new one is made
  await world.eventually(() => list());
  expect(performance.now() - started).toBeGreaterThan(140);
  expect(seen).toEqual(before);
  await transport.close();
  await reading;
});

test('a truncated line breaks the watch; what was whole before it has been told', async () => {
  const stream = await openWatch();
  const seen: string[] = [];
  const reading = failure(
    (async () => {
      for await (const events of stream)
        for (const { object } of events) seen.push((object as ConfigMap).metadata.name);
    })(),
  );
  await create('whole');
  await world.eventually(() => seen.includes('whole'));
  proxy.inject({ fault: 'truncate' });
  await create('half');
  expect(isTransient(await reading)).toBe(true);
  expect(seen).not.toContain('half');
});

test('answers instead of the server, for whom they are meant and as long as they last', async () => {
  proxy.inject({
    fault: 'answer',
    status: 429,
    retryAfter: 7,
    match: { verb: 'list', resource: 'configmaps' },
    lasts: 60_000,
  });
  const error = await failure(list());
  expect(error instanceof ApiError && [error.code, error.retryAfter]).toEqual([429, 7_000]);
  await transport.send({ method: 'GET', path: '/api/v1/namespaces' });
  proxy.calm();
  await list();
  expect(proxy.counts.disturbed).toBe(1);
});

test('a watch that resumes is told that its version is gone, as often as meant; a streamed list is not', async () => {
  const gone = { fault: 'answer', status: 410, match: { resumes: true }, times: 1, lasts: 60_000 } as const;
  proxy.inject(gone);
  const query = {
    watch: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: 'true',
  };
  const streamed = await transport.watch({ method: 'GET', path: path(), query });
  await streamed[Symbol.asyncIterator]().return?.();
  expect(proxy.counts.disturbed).toBe(0);
  const refused = await failure(openWatch());
  expect(refused instanceof ApiError && refused.code).toBe(410);
  proxy.inject({ ...gone, inStream: true });
  expect(await Array.fromAsync(await openWatch())).toMatchObject([[{ type: 'ERROR', object: { code: 410 } }]]);
  await (await openWatch())[Symbol.asyncIterator]().return?.();
  expect(proxy.counts.disturbed).toBe(2);
});

test('delay and pace hold answers up', async () => {
  await world.client.of(ConfigMap).create({
    metadata: { name: 'fat', namespace: world.namespace },
    data: { fat: 'x'.repeat(20_000) },
  });
  const timed = async () => {
    const started = performance.now();
    await list();
    return performance.now() - started;
  };
  await timed();
  proxy.inject({ fault: 'delay', ms: 100, lasts: 60_000 });
  expect(await timed()).toBeGreaterThan(190);
  proxy.calm();
  // compressed it is some hundreds of bytes
  proxy.inject({ fault: 'slow', bytesPerSecond: 5_000, lasts: 60_000 });
  expect(await timed()).toBeGreaterThan(60);
});

test('a script from a seed is the same each time, and is played in order', async () => {
  const script = (seed: number) => randomFaults({ random: seededRandom(seed), count: 20, within: 50 });
  expect(script(7)).toEqual(script(7));
  expect(script(7)).not.toEqual(script(8));
  await proxy.play([
    { at: 5, what: { fault: 'reset' } },
    { at: 0, what: { fault: 'truncate', times: 3 } },
  ]);
  await list().catch(list);
});

test('a server that is gone breaks connections, and does not hang', async () => {
  const own = await startTestCluster({ server: 'embedded', http: true });
  await using before = await startFaultProxy({ kubeconfig: own.kubeconfig() });
  const wire = httpTransport(await loadKubeconfig({ text: before.kubeconfig() }));
  await wire.send({ method: 'GET', path: '/version' });
  await own.stop();
  expect(isTransient(await failure(wire.send({ method: 'GET', path: '/version' })))).toBe(true);
  await wire.close();
});

describe('a watch over a WebSocket', () => {
  /** What the server sends after the upgrade, as it comes over the wire. */
  async function upgraded(token?: string) {
    const connection = await loadKubeconfig({ text: proxy.kubeconfig() });
    const { ca = '', token: own = '' } = await connection.credentials.current();
    const asked = request(`${connection.server}${path()}?watch=true&resourceVersion=0`, {
      ca,
      headers: {
        authorization: `Bearer ${token ?? own}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        origin: connection.server,
        'sec-websocket-version': '13',
        'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
      },
    });
    return new Promise<{ readonly status: number; readonly text: () => string; readonly closed: Promise<void> }>(
      (resolve, reject) => {
        asked.once('error', reject);
        asked.once('response', ({ statusCode = 0 }) =>
          resolve({ status: statusCode, text: () => '', closed: Promise.resolve() }),
        );
        asked.once('upgrade', ({ statusCode = 0 }, socket, head: Buffer) => {
          let text = head.toString();
          socket.on('error', () => {});
          socket.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          const closed = new Promise<void>((done) => socket.once('close', () => done()));
          resolve({ status: statusCode, text: () => text, closed });
        });
        asked.end();
      },
    );
  }

  test('passes, and breaks with all other connections', async () => {
    await create('by-socket');
    const { status, text, closed } = await upgraded();
    expect(status).toBe(101);
    await world.eventually(() => text().includes('"by-socket"'));
    expect(proxy.counts.watches).toBe(1);
    proxy.inject({ fault: 'reset' });
    await closed;
  });

  test('is refused like any other', async () => {
    expect((await upgraded('other')).status).toBe(401);
    proxy.inject({ fault: 'answer', status: 410, match: { verb: 'watch' }, lasts: 60_000 });
    expect((await upgraded()).status).toBe(410);
  });
});
