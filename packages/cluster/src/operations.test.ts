import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { ConfigMap, Pod } from '@coxswain/k8s';
import { type Client, ConnectionError, createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { isExpired, isForbidden, VirtualClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCluster } from './start-cluster.ts';
import type { Cluster } from './types.ts';

const key = { namespace: 'default', name: 'a' };
const map = (name: string) => ({ metadata: { name, namespace: 'default' }, data: { x: '1' } });

/** Value of the first sample of a metric whose line has all of these parts. */
function sample(text: string, name: string, ...parts: readonly string[]): number | undefined {
  const line = text
    .split('\n')
    .find((each) => new RegExp(`^${name}[{ ]`).test(each) && parts.every((part) => each.includes(part)));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** One request on a connection, which is closed then. Answers the code; 429 must say when to come back. */
async function ask(socket: TLSSocket, token: string, method: string, path: string, body?: unknown): Promise<number> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = `Host: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${text.length}`;
  socket.write(`${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\n${text}`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks).toString();
  const code = Number(answer.split(' ')[1]);
  if (code === 429) expect(answer).toMatch(/^Retry-After: 1\r$/m);
  return code;
}

/** A token of a service account that may read and write ConfigMaps. */
async function loadToken(client: Client): Promise<string> {
  const metadata = { name: 'load', namespace: 'default' };
  await client.raw({
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts',
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
  });
  const rbac = 'rbac.authorization.k8s.io';
  await client.raw({
    method: 'POST',
    path: `/apis/${rbac}/v1/namespaces/default/rolebindings`,
    body: {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
  });
  const asked = await client.raw({
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/load/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return (asked as { readonly status: { readonly token: string } }).status.token;
}

describe('in this process', () => {
  test('readyz names what is not ready, and the server is live while it stops', async () => {
    const clock = new VirtualClock();
    const cluster = await startCluster({ clock, controlPlane: false });
    const ask = (path: string) => cluster.client.raw({ method: 'GET', path });
    expect(await ask('/readyz')).toBe('ok');
    const verbose = await cluster.client.raw({ method: 'GET', path: '/readyz', query: { verbose: '' } });
    for (const name of ['ping', 'storage', 'crds', 'controllers', 'shutdown'])
      expect(verbose).toContain(`[+]${name} ok`);
    expect(await ask('/livez/storage')).toBe('ok');
    await expect(ask('/livez/shutdown')).rejects.toThrow();
    const stopping = cluster.stop();
    await expect(ask('/readyz')).rejects.toThrow('[-]shutdown failed');
    await stopping;
    await expect(ask('/livez')).rejects.toThrow('[-]storage failed');
  });

  test('after a compaction what is older is gone, and what goes on goes on', async () => {
    await using cluster = await startCluster({ clock: new VirtualClock(), controlPlane: false });
    const maps = cluster.client.of(ConfigMap);
    for (const name of ['a', 'b', 'c']) await maps.create(map(name));
    const page = await maps.list({ namespace: 'default', limit: 1 });
    const old = (await maps.get(key)).metadata.resourceVersion ?? '';
    const running = await maps.watch({ namespace: 'default' });
    await maps.create(map('d'));
    const revision = cluster.compactNow();
    expect(revision).toBeGreaterThan(Number(old));
    const { metadata } = page;
    await expect(maps.list({ namespace: 'default', limit: 1, continue: metadata?.continue ?? '' })).rejects.toSatisfy(
      isExpired,
    );
    const stale = await maps.watch({ namespace: 'default', resourceVersion: old });
    const first = await stale[Symbol.asyncIterator]().next();
    expect(first.value).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    await maps.create(map('e'));
    const names: string[] = [];
    for await (const batch of running) {
      names.push(...batch.flatMap((event) => (event.type === 'ADDED' ? [event.object.metadata.name] : [])));
      if (names.includes('e')) break;
    }
    expect(names).toEqual(expect.arrayContaining(['d', 'e']));
  });

  test('metrics have no series for what clients make up', async () => {
    await using cluster = await startCluster({ clock: new VirtualClock(), controlPlane: false });
    const ask = (path: string) => cluster.client.raw({ method: 'GET', path }).catch(() => '');
    const before = String(await ask('/metrics')).split('\n').length;
    for (let i = 0; i < 50; i++) {
      await ask(`/apis/example.com/v${i}/things${i}`);
      await ask(`/api/v1/namespaces/default/pods/x/made-up-${i}`);
      await ask(`/elsewhere/${i}`);
    }
    const after = String(await ask('/metrics')).split('\n').length;
    expect(after - before).toBeLessThan(120);
  });
});

describe('over HTTPS', () => {
  let cluster: Cluster;
  let client: Client;
  let connect: () => Promise<TLSSocket>;
  /** Of a user whom the limit is for: administrators always get through. */
  let token: string;

  beforeAll(async () => {
    cluster = await startCluster({ port: 0, controlPlane: false, inFlight: { readOnly: 40, mutating: 20 } });
    const connection = await loadKubeconfig({ text: cluster.kubeconfig() });
    client = createClient({ transport: httpTransport(connection), fieldManager: 'test' });
    const { ca } = await connection.credentials.current();
    token = await loadToken(client);
    const port = Number(new URL(cluster.url ?? '').port);
    let session: Buffer | undefined;
    connect = () =>
      new Promise((resolve, reject) => {
        const resumed = session === undefined ? {} : { session };
        const socket: TLSSocket = tlsConnect({ host: '127.0.0.1', port, ca, ...resumed }, () => resolve(socket));
        socket.once('error', reject).once('session', (ticket: Buffer) => {
          session = ticket;
        });
      });
  });
  afterAll(async () => {
    await client?.transport.close();
    await cluster?.stop();
  });
  beforeEach(() => {
    cluster.faults.clear();
  });

  test('rules are added, listed and taken away by administrators only', async () => {
    const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
      client.raw({ method, path, ...(body === undefined ? {} : { body }) });
    const rule = { match: { resource: 'pods' }, when: { times: 1 }, action: { status: 503 } };
    const added = (await ask('POST', '/_coxswain/faults', rule)) as { id: string };
    expect(added).toEqual({ id: expect.any(String), rule, counts: { matched: 0, fired: 0 } });
    await expect(client.of(Pod).list({ namespace: 'default', timeout: 100 })).rejects.toThrow();
    expect(await ask('GET', `/_coxswain/faults/${added.id}`)).toMatchObject({ counts: { fired: 1 } });
    expect(await ask('GET', '/_coxswain/faults')).toMatchObject({ items: [{ rule }] });
    expect(await ask('DELETE', `/_coxswain/faults/${added.id}`)).toEqual({ removed: 1 });
    await expect(ask('DELETE', `/_coxswain/faults/${added.id}`)).rejects.toThrow(`there is no fault rule ${added.id}`);
    await ask('POST', '/_coxswain/faults', { action: { reset: true } });
    expect(await ask('DELETE', '/_coxswain/faults')).toEqual({ removed: 1 });
    await expect(ask('POST', '/_coxswain/faults', { action: {} })).rejects.toThrow('action must have exactly one of');
    await expect(ask('POST', '/_coxswain/faults', [1])).rejects.toThrow('it must be an object');
    expect(await ask('POST', '/_coxswain/compact')).toEqual({ revision: expect.any(Number) });
    await expect(ask('GET', '/_coxswain/compact')).rejects.toThrow('POST it');
    await expect(ask('GET', '/_coxswain/other')).rejects.toThrow('there is no /_coxswain/other');
    const other = cluster.clientAs({ name: 'eve' });
    await expect(other.raw({ method: 'GET', path: '/_coxswain/faults' })).rejects.toSatisfy(isForbidden);
  });

  test('a reset connection has done nothing; a lost reply has', async () => {
    const maps = client.of(ConfigMap);
    cluster.faults.add({ match: { verb: 'create', name: 'unsent' }, action: { reset: true } });
    cluster.faults.add({ match: { verb: 'create', name: 'unheard' }, action: { loseReply: true } });
    await expect(maps.create(map('unsent'))).rejects.toThrow(ConnectionError);
    await expect(maps.create(map('unheard'))).rejects.toThrow(ConnectionError);
    expect(await maps.find({ ...key, name: 'unsent' })).toBeUndefined();
    expect(await maps.find({ ...key, name: 'unheard' })).toBeDefined();
  });

  test('metrics count requests, watches and objects, and tell of the process', async () => {
    const maps = client.of(ConfigMap);
    await maps.create(map('counted'));
    const stop = new AbortController();
    const running = await maps.watch({ namespace: 'default', signal: stop.signal });
    await running[Symbol.asyncIterator]().next();
    await client.raw({ method: 'GET', path: '/metrics' });
    const text = String(await client.raw({ method: 'GET', path: '/metrics' }));
    const labels = ['verb="POST"', 'group="",version="v1",resource="configmaps"', 'scope="namespace"'];
    expect(sample(text, 'apiserver_request_total', ...labels, 'component="apiserver",code="201"')).toBeGreaterThan(0);
    expect(sample(text, 'apiserver_request_duration_seconds_bucket', ...labels, 'le="+Inf"')).toBeGreaterThan(0);
    expect(sample(text, 'apiserver_longrunning_requests', 'verb="WATCH"', 'resource="configmaps"')).toBe(1);
    expect(sample(text, 'apiserver_watch_events_total', 'resource="configmaps"')).toBeGreaterThan(0);
    expect(sample(text, 'apiserver_storage_objects', 'resource="configmaps"')).toBeGreaterThan(0);
    expect(sample(text, 'apiserver_response_sizes_sum', 'verb="GET"', 'resource="configmaps"')).toBeGreaterThan(100);
    expect(sample(text, 'apiserver_resource_objects', 'group="",resource="namespaces"')).toBeGreaterThan(3);
    expect(sample(text, 'apiserver_current_inflight_requests', 'request_kind="readOnly"')).toBe(0);
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_heap_size_used_bytes'])
      expect(sample(text, name), name).toBeGreaterThan(0);
    expect(sample(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    stop.abort();
  });

  test('clients that ask and do not read keep nobody else out', async () => {
    const maps = client.of(ConfigMap);
    for (const name of ['big-0', 'big-1', 'big-2'])
      await maps.create({ metadata: { name, namespace: 'default' }, data: { x: 'x'.repeat(900_000) } });
    const lazy = await Promise.all(Array.from({ length: 45 }, connect));
    for (const socket of lazy)
      socket
        .pause()
        .write(
          `GET /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        );
    expect((await maps.get({ namespace: 'default', name: 'big-0' })).metadata.name).toBe('big-0');
    for (const socket of lazy) socket.destroy();
    for (const name of ['big-0', 'big-1', 'big-2']) await maps.delete({ namespace: 'default', name });
  });

  test('2,000 requests at once are all answered, and the server answers about its health meanwhile', async () => {
    cluster.faults.add({ match: { resource: 'configmaps' }, action: { latency: 50 } });
    const path = '/api/v1/namespaces/default/configmaps';
    const sockets: TLSSocket[] = [];
    while (sockets.length < 2002) sockets.push(...(await Promise.all(Array.from({ length: 77 }, connect))));
    const [one, two, ...rest] = sockets as [TLSSocket, TLSSocket, ...TLSSocket[]];
    let answered = 0;
    const all = rest.map(async (socket, i) => {
      const [method, target] = i % 4 === 0 ? ['POST', path] : ['GET', `${path}?limit=1`];
      const code = await ask(socket, token, method, target, method === 'POST' ? map(`load-${i}`) : undefined);
      answered++;
      return code;
    });
    const health = await Promise.all([ask(one, token, 'GET', '/readyz'), ask(two, token, 'GET', '/livez')]);
    expect((await client.of(ConfigMap).list({ namespace: 'default', limit: 1 })).items.length).toBeLessThan(2);
    expect(answered).toBeLessThan(all.length);
    const codes = await Promise.all(all);
    const counts = Object.fromEntries([...Map.groupBy(codes, String)].map(([code, { length }]) => [code, length]));
    expect(Object.keys(counts).filter((code) => !['200', '201', '429'].includes(code))).toEqual([]);
    expect(counts['200']).toBeGreaterThan(100);
    expect(counts['429']).toBeGreaterThan(0);
    expect(health).toEqual([200, 200]);
    const text = String(await client.raw({ method: 'GET', path: '/metrics' }));
    expect(sample(text, 'apiserver_request_terminations_total')).toBe(counts['429']);
    expect(sample(text, 'apiserver_current_inqueue_requests', 'request_kind="mutating"')).toBe(0);
    expect(await client.of(ConfigMap).find({ namespace: 'default', name: 'none' })).toBeUndefined();
  }, 180_000);
});
