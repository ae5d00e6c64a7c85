import { Deployment, EndpointSlice, Endpoints, Pod, Service, type ServiceSpec } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';

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
  await using world = await TestCluster.start();
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

  await world.patch(Pod, 'a', { metadata: { finalizers: ['test/hold'] } });
  await world.delete(Pod, 'a');
  expect((await endpoints(world))[0]?.conditions).toEqual({ ready: false, serving: true, terminating: true });
  await world.patch(Pod, 'a', { metadata: { finalizers: null } });
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
  expect(slices.map((slice) => slice.endpoints?.length)).toEqual([100, 100, 50]);
  expect((await endpoints(world)).every(({ conditions }) => conditions?.ready)).toBe(true);
  await world.patch(Deployment, 'web', { spec: { replicas: 1 } });
  await world.advance(5);
  expect(await endpoints(world)).toHaveLength(1);
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
