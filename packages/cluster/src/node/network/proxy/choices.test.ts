import type { Endpoint, EndpointSlice, Service } from '@coxswain/k8s';
import { seededRandom, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { Balancer } from './balancer.ts';
import { type ServiceEndpoint, usableEndpoints } from './endpoints.ts';
import { wantedPorts } from './wanted-ports.ts';

const endpoint = (address: string, conditions: Endpoint['conditions'], nodeName = 'n1'): Endpoint => ({
  addresses: [address],
  conditions: conditions ?? {},
  nodeName,
});

const slice = (endpoints: readonly Endpoint[], ports = [{ name: 'http', port: 8080, protocol: 'TCP' as const }]) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'IPv4',
    endpoints,
    ports,
  }) satisfies EndpointSlice;

const http = { name: 'http', port: 80 };
const ready = { ready: true, serving: true, terminating: false };
const leaving = { ready: false, serving: true, terminating: true };
const addresses = (found: readonly ServiceEndpoint[]) => found.map(({ address, port }) => `${address}:${port}`);

test('ready endpoints are used; without any, those that still serve while they terminate', () => {
  const gone = { ready: false, serving: false, terminating: true };
  const unready = { ready: false, serving: false, terminating: false };
  const others = [endpoint('127.64.1.3', leaving), endpoint('127.64.1.4', gone), endpoint('127.64.1.5', unready)];
  const all = [endpoint('127.64.1.1', ready), endpoint('127.64.1.2', {}), ...others];
  expect(addresses(usableEndpoints(http, [slice(all)]))).toEqual(['127.64.1.1:8080', '127.64.1.2:8080']);
  expect(addresses(usableEndpoints(http, [slice(others)]))).toEqual(['127.64.1.3:8080']);
});

test('what is local is chosen first, then what is ready', () => {
  const all = [endpoint('127.64.1.1', ready, 'n1'), endpoint('127.64.2.1', leaving, 'n2')];
  const on = (name: string) => addresses(usableEndpoints(http, [slice(all)], (node) => node === name));
  expect(on('n1')).toEqual(['127.64.1.1:8080']);
  expect(on('n2')).toEqual(['127.64.2.1:8080']);
  expect(on('n3')).toEqual([]);
});

test('ports are matched by name and protocol, each endpoint counts once', () => {
  const one = endpoint('127.64.1.1', ready);
  const udp = slice([one], [{ name: 'http', port: 53, protocol: 'UDP' as never }]);
  expect(addresses(usableEndpoints(http, [udp, slice([one]), slice([one])]))).toEqual(['127.64.1.1:8080']);
  expect(addresses(usableEndpoints({ ...http, protocol: 'UDP' }, [udp]))).toEqual(['127.64.1.1:53']);
  expect(usableEndpoints({ port: 80 }, [slice([one])])).toEqual([]);
});

const nodes = new Map([
  ['n1', '127.64.0.1'],
  ['n2', '127.64.0.2'],
]);
const service = (spec: Service['spec']): Service => ({ metadata: { name: 's' }, spec: spec ?? {} });

test('what is listened at: cluster IPs and node ports, nothing for headless Services and other protocols', () => {
  const ports = [
    { name: 'a', port: 80, nodePort: 30_001 },
    { name: 'b', port: 81, protocol: 'SCTP' as const },
  ];
  expect(wantedPorts(service({ clusterIPs: ['127.65.1.0'], ports }), nodes).map(({ id }) => id)).toEqual([
    'TCP/127.65.1.0:80',
    'TCP/127.0.0.1:30001',
    'TCP/127.64.0.1:30001',
    'TCP/127.64.0.2:30001',
  ]);
  expect(wantedPorts(service({ clusterIPs: ['None'], ports: [{ port: 80 }] }), nodes)).toEqual([]);
});

test('local traffic: of the machine inside, of the node behind its node port', () => {
  const policies = { internalTrafficPolicy: 'Local', externalTrafficPolicy: 'Local' } as const;
  const ports = [{ port: 80, nodePort: 30_001 }];
  const wanted = wantedPorts(service({ clusterIPs: ['127.65.1.0'], ports, ...policies }), nodes);
  const counted = (node: string) => wanted.filter(({ local }) => local?.(node)).map(({ address }) => address);
  expect(counted('n1')).toEqual(['127.65.1.0', '127.0.0.1', '127.64.0.1']);
  expect(counted('n2')).toEqual(['127.65.1.0', '127.0.0.1', '127.64.0.2']);
  expect(counted('far')).toEqual([]);
});

test('a client is forgotten when its time is over', async () => {
  const clock = new VirtualClock();
  const balancer = new Balancer(clock, seededRandom(3));
  const all = ['127.64.1.1', '127.64.1.2'].map((address) => ({ address, port: 80, node: undefined, pod: undefined }));
  balancer.update(all, 10_000);
  const [first] = balancer.order('c');
  if (!first) throw new Error('nothing to choose from');
  balancer.connected('c', first);
  const next = () => balancer.order('c')[0];
  expect([next(), next(), next()]).toEqual([first, first, first]);
  await clock.advance(10_001);
  expect(new Set([next(), next()]).size).toBe(2);
});
