import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { EndpointSlice, Service } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import packets, { type Answer, type DecodedPacket, type RecordType } from 'dns-packet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dialTcp } from '../dial.ts';
import { eventually, TestNetwork } from '../test-network.ts';
import { framed, messagesOf } from './tcp-messages.ts';

let world: TestNetwork;
let server: string;
beforeEach(async () => {
  world = await TestNetwork.start();
  const dns = await world.client.of(Service).find({ namespace: 'kube-system', name: 'kube-dns' });
  server = dns?.spec?.clusterIP ?? '';
});
afterEach(() => world[Symbol.asyncDispose]());

const question = (name: string, type: RecordType, extra: object = {}) =>
  packets.encode({ type: 'query', id: 7, flags: packets.RECURSION_DESIRED, questions: [{ name, type }], ...extra });

async function send(query: Uint8Array): Promise<DecodedPacket> {
  const socket = createSocket('udp4');
  try {
    socket.send(query, 53, server);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    return packets.decode(answer);
  } finally {
    socket.close();
  }
}

const codes = ['good', 'malformed', 'failed', 'missing', 'not implemented', 'refused'];
const said = ({ name, type, ...rest }: Answer): string => {
  const data: unknown = 'data' in rest ? rest.data : '';
  if (type === 'SRV') {
    const { target, port } = data as { readonly target: string; readonly port: number };
    return `${type} ${target}:${port}`;
  }
  return type === 'TXT' ? `${type} ${String(data)}` : `${type} ${String(data)}`;
};

/** The answers in short, sorted; how it went when there are none. */
async function ask(name: string, type: RecordType = 'A'): Promise<string | readonly string[]> {
  const { answers = [], authorities = [], flags = 0 } = await send(question(name, type));
  if (answers.length > 0) return answers.map(said).sort();
  return `${codes[flags & 15]}${authorities[0]?.type === 'SOA' ? ', SOA' : ''}`;
}

const web = { ports: [{ name: 'http', port: 80, targetPort: 8080 }] };

test.runIf(process.getuid?.() === 0)('Services have their names, at once and as long as they are there', async () => {
  expect(await ask('web.default.svc.cluster.local')).toBe('missing, SOA');
  const { spec } = await world.service('web', web);
  const full = 'web.default.svc.cluster.local';
  await eventually(async () => expect(await ask(full)).toEqual([`A ${spec?.clusterIP}`]));
  expect(await ask('WEB.Default.svc.cluster.local')).toEqual([`A ${spec?.clusterIP}`]);
  expect(await ask(full, 'AAAA')).toBe('good, SOA');
  expect(await ask(`_http._tcp.${full}`, 'SRV')).toEqual([`SRV ${full}:80`]);
  expect(await ask(`_http._udp.${full}`, 'SRV')).toBe('missing, SOA');
  expect(await ask(`_tcp.${full}`, 'SRV')).toBe('good, SOA');
  expect(await ask(`a.${full}`)).toBe('missing, SOA');
  expect(await ask(`a.b.c.${full}`)).toBe('missing, SOA');
  const reverse = `${(spec?.clusterIP ?? '').split('.').reverse().join('.')}.in-addr.arpa`;
  expect(await ask(reverse, 'PTR')).toEqual([`PTR ${full}`]);
  await world.client.of(Service).delete({ namespace: 'default', name: 'web' });
  await eventually(async () => expect(await ask(full)).toBe('missing, SOA'));
  expect(await ask(reverse, 'PTR')).toBe('missing, SOA');
});

test.runIf(process.getuid?.() === 0)(
  'names above Services are there and empty; the cluster has an origin',
  async () => {
    const name = 'cluster.local';
    for (const part of [name, `svc.${name}`, `default.svc.${name}`, `pod.${name}`, `default.pod.${name}`])
      expect(await ask(part), part).toBe('good, SOA');
    for (const part of [`nowhere.svc.${name}`, `x.nowhere.svc.${name}`, `1-2-3-4.nowhere.pod.${name}`, `other.${name}`])
      expect(await ask(part), part).toBe('missing, SOA');
    expect(await ask(`dns-version.${name}`, 'TXT')).toEqual(['TXT 1.1.0']);
    expect(await ask(`10-1-2-3.default.pod.${name}`)).toEqual(['A 10.1.2.3']);
    expect(await ask(`10-1-2-300.default.pod.${name}`)).toBe('missing, SOA');
    expect(await ask(`kubernetes.default.svc.${name}`)).toEqual([expect.stringMatching(/^A 127\.\d+\.0\.1$/)]);
    expect(await ask(`kube-dns.kube-system.svc.${name}`)).toEqual([`A ${server}`]);
    expect(await ask(name, 'NS')).toEqual([`NS kube-dns.kube-system.svc.${name}`]);
  },
);

test.runIf(process.getuid?.() === 0)(
  'headless Services stand for their endpoints, which have names of their own',
  async () => {
    await world.service('db', { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] });
    const full = 'db.default.svc.cluster.local';
    expect(await ask(full)).toBe('missing, SOA');
    const named = { hostname: 'db-0', subdomain: 'db' };
    const first = await world.pod('db-0', named, { labels: { app: 'db' } });
    const second = await world.pod('db-1', {}, { labels: { app: 'db' } });
    await eventually(async () => expect(await ask(full)).toEqual([`A ${first.ip}`, `A ${second.ip}`].sort()));
    const dashed = second.ip.replaceAll('.', '-');
    expect(await ask(`db-0.${full}`)).toEqual([`A ${first.ip}`]);
    expect(await ask(`${dashed}.${full}`)).toEqual([`A ${second.ip}`]);
    expect(await ask(`db-1.${full}`)).toBe('missing, SOA');
    const service = [`SRV ${dashed}.${full}:5432`, `SRV db-0.${full}:5432`];
    expect(await ask(`_sql._tcp.${full}`, 'SRV')).toEqual(service.sort());
    const { additionals = [] } = await send(question(`_sql._tcp.${full}`, 'SRV'));
    expect(additionals.map(said).sort()).toEqual([`A ${first.ip}`, `A ${second.ip}`].sort());
    expect(await ask(`${first.ip.split('.').reverse().join('.')}.in-addr.arpa`, 'PTR')).toEqual([`PTR db-0.${full}`]);
    await world.setReady('db-0', false);
    await eventually(async () => expect(await ask(full)).toEqual([`A ${second.ip}`]));
    expect(await ask(`db-0.${full}`)).toBe('missing, SOA');
    const publish = merge({ spec: { publishNotReadyAddresses: true } });
    await world.client.of(Service).patch({ namespace: 'default', name: 'db' }, publish);
    await eventually(async () => expect(await ask(`db-0.${full}`)).toEqual([`A ${first.ip}`]));
  },
);

test.runIf(process.getuid?.() === 0)('an external name leads to where it says, inside the cluster too', async () => {
  const { spec } = await world.service('web', web);
  const target = 'web.default.svc.cluster.local';
  await world.service('alias', { type: 'ExternalName', externalName: target, selector: null });
  const name = 'alias.default.svc.cluster.local';
  await eventually(async () => expect(await ask(name)).toEqual([`A ${spec?.clusterIP}`, `CNAME ${target}`]));
  expect(await ask(name, 'CNAME')).toEqual([`CNAME ${target}`]);
  await world.service('round', { type: 'ExternalName', externalName: 'round.default.svc.cluster.local' });
  await eventually(async () => {
    const { flags = 0 } = await send(question('round.default.svc.cluster.local', 'A'));
    expect(codes[flags & 15]).toBe('failed');
  });
});

test.runIf(process.getuid?.() === 0)('long answers are cut over UDP and whole over TCP', async () => {
  await world.service('many', { clusterIP: 'None', ports: [{ port: 80 }], selector: null });
  const endpoints = Array.from({ length: 90 }, (_, i) => ({ addresses: [`10.9.8.${i + 1}`] }));
  await world.create(EndpointSlice, {
    metadata: { name: 'many', labels: { 'kubernetes.io/service-name': 'many' } },
    addressType: 'IPv4',
    endpoints,
    ports: [{ port: 80 }],
  });
  const query = question('many.default.svc.cluster.local', 'A');
  await eventually(async () => expect((await send(query)).flag_tc).toBe(true));
  expect((await send(query)).answers).toEqual([]);
  const socket = await dialTcp(server, 53, new AbortController().signal);
  const replies = messagesOf(socket);
  for (let i = 0; i < 2; i++) {
    socket.write(framed(query));
    const { value } = await replies.next();
    expect(packets.decode(value as Buffer).answers).toHaveLength(90);
  }
  socket.destroy();
});

test.runIf(process.getuid?.() === 0)(
  'what is no question is refused or passed over, and the next one answered',
  async () => {
    const plain = question('cluster.local', 'A');
    const broken = Buffer.concat([plain.subarray(0, 12), Buffer.of(63, 1, 2)]);
    expect(codes[((await send(broken)).flags ?? 0) & 15]).toBe('malformed');
    const notify = Buffer.from(plain);
    notify[2] = 0x20;
    expect(codes[((await send(notify)).flags ?? 0) & 15]).toBe('not implemented');
    const chaos = question('version.bind', 'TXT', { questions: [{ name: 'version.bind', type: 'TXT', class: 'CH' }] });
    expect(codes[((await send(chaos)).flags ?? 0) & 15]).toBe('refused');
    const answer = Buffer.from(plain);
    answer[2] = 0x80;
    const socket = createSocket('udp4');
    for (const silent of [answer, Buffer.of(1, 2, 3)]) socket.send(silent, 53, server);
    socket.send(plain, 53, server);
    const [first] = (await once(socket, 'message')) as [Buffer];
    expect(packets.decode(first).id).toBe(7);
    socket.close();
  },
);
