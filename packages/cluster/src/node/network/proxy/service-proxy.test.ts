import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { EndpointSlice, Event, Node, Pod, Service } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeConnection } from '../../../apiserver/index.ts';
import { dialTcp } from '../dial.ts';
import { eventually, TestNetwork } from '../test-network.ts';

let world: TestNetwork;
beforeEach(async () => {
  world = await TestNetwork.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const never = new AbortController().signal;
const addressOf = (service: Service): string => service.spec?.clusterIP ?? '';

/** A pod of the Service `web` that answers each connection with its name. */
async function named(name: string): Promise<string> {
  const { ip } = await world.pod(name, {}, { labels: { app: 'web' } });
  await world.listen(ip, 8080, (socket) => socket.end(name));
  return ip;
}

const web = (spec: object = {}) => world.service('web', { ports: [{ port: 8000, targetPort: 8080 }], ...spec });

/** Waits until the Service `web` has so many ready endpoints. */
async function endpoints(count: number): Promise<void> {
  await eventually(async () => {
    const labels = { 'kubernetes.io/service-name': 'web' };
    const { items } = await world.client.of(EndpointSlice).list({ namespace: 'default', labels });
    const ready = items.flatMap((slice) => slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready);
    expect(ready).toHaveLength(count);
  });
}

/** Asks until all of these names have answered. */
async function allAnswer(ip: string, names: readonly string[], port = 8000): Promise<void> {
  const missing = new Set(names);
  await eventually(async () => {
    missing.delete(await world.ask(ip, port));
    expect([...missing]).toEqual([]);
  });
}

test('a Service leads to its ready pods in turn, and refuses at once when there are none', async () => {
  const ip = addressOf(await web());
  expect(ip).toMatch(/^127\.\d+\.\d+\.\d+$/);
  await expect(dialTcp(ip, 8000, never)).rejects.toThrow(`dial tcp ${ip}:8000: connect: connection refused`);
  for (const name of ['a', 'b']) await named(name);
  await allAnswer(ip, ['a', 'b']);
  const turns = [await world.ask(ip, 8000), await world.ask(ip, 8000), await world.ask(ip, 8000)];
  expect(turns[0]).toBe(turns[2]);
  expect(turns[0]).not.toBe(turns[1]);
  for (const name of ['a', 'b']) await world.setReady(name, false);
  await eventually(() => expect(dialTcp(ip, 8000, never)).rejects.toThrow('connection refused'));
});

test('ports follow the Service: another port, another target, none', async () => {
  const ip = addressOf(await web());
  const pod = await named('a');
  await world.listen(pod, 9090, (socket) => socket.end('other'));
  await allAnswer(ip, ['a']);
  const key = { namespace: 'default', name: 'web' };
  await world.client.of(Service).patch(key, merge({ spec: { ports: [{ port: 8001, targetPort: 9090 }] } }));
  await allAnswer(ip, ['other'], 8001);
  await expect(dialTcp(ip, 8000, never)).rejects.toThrow('connection refused');
  await world.client.of(Service).delete(key);
  await eventually(() => expect(dialTcp(ip, 8001, never)).rejects.toThrow('connection refused'));
});

test('bytes, half-closed ends and breaks go both ways', async () => {
  const ip = addressOf(await web());
  const { ip: pod } = await world.pod('web');
  const sockets: Socket[] = [];
  // answers only when the client has said all it has to say
  await world.listen(pod, 8080, async (socket) => {
    sockets.push(socket);
    let size = 0;
    try {
      for await (const chunk of socket) size += (chunk as Buffer).length;
      socket.end(`${size} ${'x'.repeat(size)}`);
    } catch {}
  });
  const sent = 3 * 1024 * 1024;
  const answer = await eventually(() => world.ask(ip, 8000, 'y'.repeat(sent)));
  expect(answer.length).toBe(sent + `${sent} `.length);
  const client = (await dialTcp(ip, 8000, never)) as Socket;
  client.write('hello');
  const server = await eventually(() => {
    const last = sockets.at(-1);
    expect(last?.bytesRead).toBe(5);
    return last;
  });
  const broken = once(client, 'error');
  server?.resetAndDestroy();
  expect(String((await broken)[0])).toContain('ECONNRESET');
});

test('a connection goes on when its endpoint is none any more, and new ones go elsewhere', async () => {
  const ip = addressOf(await web());
  const { ip: old } = await world.pod('old', {}, { labels: { app: 'web' } });
  await world.listen(old, 8080, (socket) => socket.pipe(socket));
  const kept = await eventually(() => dialTcp(ip, 8000, never));
  await named('new');
  await world.setReady('old', false);
  await eventually(async () => expect([await world.ask(ip, 8000), await world.ask(ip, 8000)]).toEqual(['new', 'new']));
  kept.end('still here');
  let echo = '';
  for await (const chunk of kept) echo += String(chunk);
  expect(echo).toBe('still here');
});

test('an endpoint that does not answer is passed over', async () => {
  const ip = addressOf(await web());
  await world.pod('dead', {}, { labels: { app: 'web' } });
  await named('alive');
  await allAnswer(ip, ['alive']);
  for (let i = 0; i < 6; i++) expect(await world.ask(ip, 8000)).toBe('alive');
});

test('a pod that is about to stop gets nothing new while there are others; what has begun is waited for', async () => {
  const ip = addressOf(await web());
  const leaving = await world.pod('leaving', {}, { labels: { app: 'web' } });
  const asked: Socket[] = [];
  await world.listen(leaving.ip, 8080, (socket) => asked.push(socket));
  const begun = await eventually(() => dialTcp(ip, 8000, never));
  await eventually(() => expect(asked).toHaveLength(1));
  await named('other');
  await endpoints(2);
  let drained = false;
  const draining = leaving.drain().then(() => {
    drained = true;
  });
  await allAnswer(ip, ['other']);
  for (let i = 0; i < 4; i++) expect(await world.ask(ip, 8000)).toBe('other');
  asked[0]?.write('at last');
  expect(String((await once(begun, 'data'))[0])).toBe('at last');
  await draining;
  expect(drained).toBe(true);
  expect(asked).toHaveLength(1);
  begun.destroy();
  asked[0]?.destroy();
});

test('a client stays with its endpoint when the Service says so, until that is gone', async () => {
  const ip = addressOf(await web({ sessionAffinity: 'ClientIP' }));
  for (const name of ['a', 'b', 'c']) await named(name);
  await endpoints(3);
  const first = await eventually(() => world.ask(ip, 8000));
  for (let i = 0; i < 5; i++) expect(await world.ask(ip, 8000)).toBe(first);
  await world.setReady(first, false);
  const second = await eventually(async () => {
    const name = await world.ask(ip, 8000);
    expect(name).not.toBe(first);
    return name;
  });
  for (let i = 0; i < 5; i++) expect(await world.ask(ip, 8000)).toBe(second);
});

test('node ports are on every node and on 127.0.0.1', async () => {
  const second = await world.addNode('node-2');
  const service = await web({ type: 'NodePort' });
  const port = service.spec?.ports?.[0]?.nodePort ?? 0;
  await named('a');
  const { address: first } = await world.network.joinNode('node-1');
  for (const address of [first, second, '127.0.0.1']) await allAnswer(address, ['a'], port);
  const third = await world.network.joinNode('node-3');
  expect(await world.ask(third.address, port)).toBe('a');
});

test('packets go to an endpoint and back, and to another one when that is gone', async () => {
  const ip = addressOf(await web({ ports: [{ port: 9900, targetPort: 9000, protocol: 'UDP' }] }));
  const servers = [];
  for (const name of ['a', 'b']) {
    const { ip: pod } = await world.pod(name, {}, { labels: { app: 'web' } });
    const server = createSocket('udp4');
    server.on('message', (message, from) => server.send(`${name} ${message}`, from.port, from.address));
    server.bind(9000, pod);
    await once(server, 'listening');
    servers.push(server);
  }
  const client = createSocket('udp4');
  const answers: string[] = [];
  client.on('message', (message) => answers.push(String(message)));
  const ask = async (text: string): Promise<string> => {
    answers.length = 0;
    return eventually(() => {
      client.send(text, 9900, ip);
      const answer = answers.find((one) => one.endsWith(text));
      expect(answer).toBeDefined();
      return answer?.split(' ')[0] ?? '';
    });
  };
  const first = await ask('one');
  expect(await ask('two')).toBe(first);
  await world.setReady(first, false);
  await eventually(async () => expect(await ask('three')).not.toBe(first));
  client.close();
  for (const server of servers) server.close();
});

test('the API server is behind the Service kubernetes, under its name', async () => {
  const service = await world.client.of(Service).get({ namespace: 'default', name: 'kubernetes' });
  const ca = world.server.authority.cert;
  // 443, or another where that needs privileges
  const port = service.spec?.ports?.[0]?.port ?? 0;
  for (const servername of ['kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']) {
    const socket = await eventually(async () => {
      const secure = connectTls({ host: addressOf(service), port, ca, servername });
      await once(secure, 'secureConnect');
      return secure;
    });
    expect(socket.authorized).toBe(true);
    socket.destroy();
  }
  const byAddress = connectTls({ host: addressOf(service), port, ca });
  await once(byAddress, 'secureConnect');
  expect(byAddress.authorized).toBe(true);
  byAddress.destroy();
});

test('a port that is taken is told in an event of the Service', async () => {
  await named('a');
  const service = await web({ clusterIP: await freeServiceAddress() });
  const event = await eventually(async () => {
    const { items } = await world.client.of(Event).list({ namespace: 'default' });
    const found = items.find(({ reason, regarding }) => reason === 'FailedListen' && regarding?.name === 'web');
    expect(found).toBeDefined();
    return found;
  });
  expect(event?.note).toBe(
    `cannot listen at ${addressOf(service)}:8000/TCP: another program on this machine listens there; it is tried again until that ends`,
  );
});

/** An address of Services at which somebody else listens. */
async function freeServiceAddress(): Promise<string> {
  const kubernetes = await world.client.of(Service).get({ namespace: 'default', name: 'kubernetes' });
  const address = addressOf(kubernetes).replace(/\.0\.1$/, '.0.77');
  await world.listen(address, 8000, (socket) => socket.end());
  return address;
}

test('pods of simulated nodes are reached through their node', async () => {
  const dialled: unknown[] = [];
  const dial: NodeConnection['dial'] = async (pod, port) => {
    dialled.push([pod.name, port]);
    const [ours, theirs] = duplexPair();
    theirs.end('simulated');
    theirs.resume();
    return ours;
  };
  world.connections.set('far', { dial } as NodeConnection);
  const ip = addressOf(await web());
  await world.create(Node, { metadata: { name: 'far' } });
  await world.create(Pod, {
    metadata: { name: 'far', labels: { app: 'web' } },
    spec: { nodeName: 'far', containers: [{ name: 'main', image: 'app:1' }] },
  });
  const status = {
    phase: 'Running',
    podIP: '10.244.0.9',
    podIPs: [{ ip: '10.244.0.9' }],
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  await world.client.of(Pod).patch({ namespace: 'default', name: 'far' }, merge({ status }), { subresource: 'status' });
  expect(await eventually(() => world.ask(ip, 8000))).toBe('simulated');
  expect(dialled).toContainEqual(['far', 8080]);
});

test('pods are exchanged under load without one lost connection', async () => {
  const ip = addressOf(await web());
  const listening = new Map<string, Awaited<ReturnType<TestNetwork['listen']>>>();
  const start = async (name: string) => {
    const pod = await world.pod(name, {}, { labels: { app: 'web' } });
    listening.set(name, await world.listen(pod.ip, 8080, (socket) => socket.once('data', () => socket.end(name))));
    return pod;
  };
  let old = await start('pod-0');
  await eventually(async () => expect(await world.ask(ip, 8000, 'x')).toBe('pod-0'));
  let stop = false;
  const answers = new Map<string, number>();
  const load = Array.from({ length: 4 }, async () => {
    while (!stop) {
      const name = await world.ask(ip, 8000, 'x');
      answers.set(name, (answers.get(name) ?? 0) + 1);
    }
  });
  for (let i = 1; i <= 5; i++) {
    const fresh = await start(`pod-${i}`);
    await eventually(() => expect(answers.get(`pod-${i}`) ?? 0).toBeGreaterThan(0));
    await world.setReady(`pod-${i - 1}`, false);
    await old.drain();
    listening.get(`pod-${i - 1}`)?.close();
    await old.detach();
    old = fresh;
  }
  stop = true;
  await Promise.all(load);
  expect([...answers.keys()].sort()).toEqual(['pod-0', 'pod-1', 'pod-2', 'pod-3', 'pod-4', 'pod-5']);
  expect(answers.get('')).toBeUndefined();
});

test('nothing is left behind when the network is closed', async () => {
  const ip = addressOf(await web());
  await named('a');
  await allAnswer(ip, ['a']);
  const held = await dialTcp(ip, 8000, never);
  await world.network.close();
  await expect(dialTcp(ip, 8000, never)).rejects.toThrow('connection refused');
  held.destroy();
  await expect(world.network.joinNode('late')).rejects.toThrow();
});
