import { Deployment, EndpointSlice, Endpoints, Node, Pod, Service, type ServiceSpec } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';
import { desiredEndpoints } from './endpoints.ts';

const labels = { app: 'web' };

function service(more: Partial<ServiceSpec> = {}): Service {
  return { metadata: { name: 'web' }, spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }], ...more } };
}

function pod(name: string, more: object = {}): Pod {
  return { metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'app:1', ...more }] } };
}

async function endpoints(world: TestCluster) {
  return (await world.list(EndpointSlice, 'kubernetes.io/service-name=web')).flatMap((slice) => slice.endpoints ?? []);
}

test('ready, not ready and terminating pods, in both forms', async () => {
  // a pod that has ended is no endpoint any more: this one takes its time
  await using world = await TestCluster.start({ stages: [{ stop: { delay: 10_000 } }] });
  await world.create(Service, service());
  await world.create(Pod, pod('a'));
  const gated = pod('b');
  await world.create(Pod, {
    ...gated,
    spec: { containers: [], ...gated.spec, readinessGates: [{ conditionType: 'x/y' }] },
  });
  expect((await endpoints(world)).map(({ conditions }) => conditions)).toEqual([
    { ready: true, serving: true, terminating: false },
    { ready: false, serving: false, terminating: false },
  ]);
  const [subset] = (await world.get(Endpoints, 'web')).subsets ?? [];
  expect(subset?.addresses).toMatchObject([{ targetRef: { kind: 'Pod', name: 'a' } }]);
  expect(subset?.notReadyAddresses).toMatchObject([{ targetRef: { name: 'b' } }]);
  expect(subset?.ports).toEqual([{ port: 8080, protocol: 'TCP' }]);

  await world.setCondition('b', 'x/y', 'True');
  expect((await endpoints(world)).map(({ conditions }) => conditions?.ready)).toEqual([true, true]);

  await world.delete(Pod, 'a');
  expect((await endpoints(world))[0]?.conditions).toEqual({ ready: false, serving: true, terminating: true });
  await world.advance(11);
  expect(await endpoints(world)).toHaveLength(1);
});

test('publishNotReadyAddresses counts all as ready', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, service({ publishNotReadyAddresses: true, clusterIP: 'None' }));
  const gated = pod('b');
  await world.create(Pod, {
    ...gated,
    spec: {
      containers: [],
      ...gated.spec,
      readinessGates: [{ conditionType: 'x/y' }],
      hostname: 'b',
      subdomain: 'web',
    },
  });
  expect(await endpoints(world)).toMatchObject([{ conditions: { ready: true, serving: false }, hostname: 'b' }]);
  const [slice] = await world.list(EndpointSlice, 'kubernetes.io/service-name=web');
  expect(slice?.metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
});

test('a named port may be another number in another pod', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, service({ ports: [{ name: 'sql', port: 80, targetPort: 'sql' }] }));
  await world.create(Pod, pod('a', { ports: [{ name: 'sql', containerPort: 6001 }] }));
  await world.create(Pod, pod('b', { ports: [{ name: 'sql', containerPort: 7001 }] }));
  const slices = await world.list(EndpointSlice, 'kubernetes.io/service-name=web');
  expect(slices.map(({ ports }) => ports?.[0]?.port).sort()).toEqual([6001, 7001]);
});

test('more than a hundred endpoints take several slices', async () => {
  await using world = await TestCluster.start({ nodes: 2 });
  await world.create(Service, service());
  await world.create(Deployment, {
    metadata: { name: 'web' },
    spec: { replicas: 250, selector: { matchLabels: labels }, template: template(labels) },
  });
  await world.advance(5);
  const slices = await world.list(EndpointSlice, 'kubernetes.io/service-name=web');
  const lengths = slices.map((slice) => slice.endpoints?.length ?? 0);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(250);
  expect(Math.max(...lengths)).toBe(100);
  expect(lengths.length).toBeLessThanOrEqual(4);
  expect(slices.every(({ metadata }) => /^web-[a-z0-9]{5}$/.test(metadata.name))).toBe(true);
  expect((await endpoints(world)).every(({ conditions }) => conditions?.ready)).toBe(true);
  await world.patch(Deployment, 'web', { spec: { replicas: 1 } });
  await world.advance(5);
  expect(await endpoints(world)).toHaveLength(1);
});

test('a slice keeps its name and what is in it; a lone empty one stands for no endpoints', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, service());
  const slices = () => world.list(EndpointSlice, 'kubernetes.io/service-name=web');
  const [empty] = await slices();
  expect(empty).toMatchObject({
    metadata: {
      generateName: 'web-',
      labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
    },
    addressType: 'IPv4',
  });
  await world.create(Pod, pod('b'));
  await world.create(Pod, pod('a'));
  const [slice] = await slices();
  expect(slice?.metadata).toMatchObject({ uid: empty?.metadata.uid, generateName: 'web-' });
  expect(slice?.endpoints?.map(({ targetRef }) => targetRef?.name)).toEqual(['b', 'a']);
  await world.patch(Service, 'web', { metadata: { labels: { team: 'x' } } });
  expect((await slices())[0]?.metadata.labels).toMatchObject({ team: 'x' });
  expect((await world.get(Endpoints, 'web')).metadata.labels).toMatchObject({
    team: 'x',
    'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
  });
  await world.delete(Pod, 'a');
  await world.delete(Pod, 'b');
  expect((await slices()).map(({ metadata, endpoints: left }) => [metadata.uid, left?.length ?? 0])).toEqual([
    [empty?.metadata.uid, 0],
  ]);
});

test('when the change behind it happened is noted in both forms', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, service());
  const time = 'endpoints.kubernetes.io/last-change-trigger-time';
  const created = (await world.get(Service, 'web')).metadata.creationTimestamp;
  expect((await world.get(Endpoints, 'web')).metadata.annotations?.[time]).toBe(created);
  await world.advance(5);
  await world.create(Pod, pod('a'));
  const since = (await world.get(Pod, 'a')).status?.conditions?.find(
    ({ type }) => type === 'Ready',
  )?.lastTransitionTime;
  const [slice] = await world.list(EndpointSlice, 'kubernetes.io/service-name=web');
  expect(slice?.metadata.annotations?.[time]).toBe(since);
  expect((await world.get(Endpoints, 'web')).metadata.annotations?.[time]).toBe(since);
});

test('zones of nodes are told, and hints when near endpoints are preferred', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, service({ trafficDistribution: 'PreferSameNode' }));
  await world.create(Pod, pod('a'));
  const [node = ''] = await world.names(Node);
  await world.patch(Node, node, { metadata: { labels: { 'topology.kubernetes.io/zone': 'z1' } } });
  expect(await endpoints(world)).toMatchObject([
    { nodeName: node, zone: 'z1', hints: { forZones: [{ name: 'z1' }], forNodes: [{ name: node }] } },
  ]);
  await world.patch(Service, 'web', { spec: { trafficDistribution: null } });
  expect((await endpoints(world))[0]).not.toHaveProperty('hints');
});

test('a headless service without ports has endpoints all the same', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, { metadata: { name: 'web' }, spec: { selector: labels, clusterIP: 'None' } });
  await world.create(Pod, pod('a'));
  expect(await endpoints(world)).toHaveLength(1);
  const { subsets, metadata } = await world.get(Endpoints, 'web');
  expect(subsets).toMatchObject([{ addresses: [{ targetRef: { name: 'a' } }] }]);
  expect(subsets?.[0]).not.toHaveProperty('ports');
  expect(metadata.labels).toHaveProperty(['service.kubernetes.io/headless']);
});

test('Endpoints hold a thousand addresses, ready ones first, and say that there are more', () => {
  const owner: Service = {
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { selector: labels, clusterIP: '10.0.0.1', ipFamilies: ['IPv4'], ports: [{ port: 80, protocol: 'TCP' }] },
  };
  const some = (count: number, ready: boolean, offset: number) =>
    Array.from({ length: count }, (_, i): Pod => {
      const podIP = `10.${ready ? 1 : 2}.${Math.floor((i + offset) / 250)}.${((i + offset) % 250) + 1}`;
      const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
      return {
        metadata: { name: `${ready}-${i}`, uid: `${ready}-${i}` },
        status: { podIP, phase: 'Running', conditions },
      } as Pod;
    });
  const full = desiredEndpoints(owner, [...some(900, true, 0), ...some(300, false, 0)], undefined, undefined);
  expect(full.metadata.annotations).toEqual({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
  expect([full.subsets?.[0]?.addresses?.length, full.subsets?.[0]?.notReadyAddresses?.length]).toEqual([900, 100]);
  const more = desiredEndpoints(owner, [...some(1200, true, 0), ...some(5, false, 0)], undefined, undefined);
  expect([more.subsets?.[0]?.addresses?.length, more.subsets?.[0]?.notReadyAddresses]).toEqual([1000, undefined]);
  const few = desiredEndpoints(owner, some(2, true, 0), more, undefined);
  expect(few.metadata.annotations).toEqual({});
});

test('a pod that changes its label changes sides at once; the service’s end is theirs', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, service());
  await world.create(Pod, pod('a'));
  await world.patch(Pod, 'a', { metadata: { labels: { app: 'other' } } });
  expect(await endpoints(world)).toEqual([]);
  await world.delete(Service, 'web');
  await world.advance(5);
  expect(await world.list(EndpointSlice, 'kubernetes.io/service-name=web')).toEqual([]);
  expect(await world.find(Endpoints, 'web')).toBeUndefined();
});

test('Endpoints written by hand for a service without a selector are mirrored, followed and cleared away', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, { metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } });
  const ports = [{ name: 'http', port: 8080 }];
  await world.create(Endpoints, {
    metadata: { name: 'web', labels: { by: 'hand' }, annotations: { note: 'x' } },
    subsets: [
      { addresses: [{ ip: '10.1.2.3' }], notReadyAddresses: [{ ip: '10.1.2.4' }], ports },
      { addresses: [{ ip: 'fd00::1' }], ports },
    ],
  });
  const slices = () =>
    world.list(EndpointSlice, 'endpointslice.kubernetes.io/managed-by=endpointslicemirroring-controller.k8s.io');
  const [four, six] = [...(await slices())].sort((a, b) => (a.addressType < b.addressType ? -1 : 1));
  expect(four).toMatchObject({
    metadata: { labels: { by: 'hand', 'kubernetes.io/service-name': 'web' }, annotations: { note: 'x' } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.1.2.3'], conditions: { ready: true } },
      { addresses: ['10.1.2.4'], conditions: { ready: false } },
    ],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  });
  expect(six).toMatchObject({ addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] });

  await world.patch(Endpoints, 'web', { subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports }] });
  expect((await slices()).map(({ metadata, endpoints }) => [metadata.name, endpoints?.[0]?.addresses])).toEqual([
    [four?.metadata.name, ['10.9.9.9']],
  ]);
  await world.patch(Endpoints, 'web', { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } });
  expect(await slices()).toEqual([]);
  await world.patch(Endpoints, 'web', { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': null } } });
  expect(await slices()).toHaveLength(1);
  await world.delete(Endpoints, 'web');
  expect(await slices()).toEqual([]);
});
