import { type KubeObject, Node, Pod } from '@coxswain/k8s';
import { type Client, createClient, merge } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { startServer } from '../../embedded-server.ts';
import type { ClusterOptions } from '../../types.ts';
import type { ContainerUsage, NodeConnection } from '../nodes.ts';

interface Metrics extends KubeObject {
  readonly usage?: ContainerAmounts;
  readonly containers?: readonly { readonly name: string; readonly usage: ContainerAmounts }[];
}

interface ContainerAmounts {
  readonly cpu: string;
  readonly memory: string;
}

async function start(options: ClusterOptions = {}) {
  const measured = new Map<string, ContainerUsage>([['web', { cpuNanoCores: 12_345_678, memoryBytes: 50 * 1024 }]]);
  const connection = { usage: ({ name }: { readonly name: string }) => (name === 'real' ? measured : undefined) };
  const server = await startServer({
    clock: new VirtualClock(),
    random: seededRandom(1),
    log: silentLogger,
    options,
    nodes: new Map([['there', connection as unknown as NodeConnection]]),
  });
  const transport = server.transport({ name: 'admin', groups: ['system:masters'] });
  const client = createClient({ transport, fieldManager: 'test', userAgent: 'test' });
  return { client, [Symbol.asyncDispose]: () => server.close() };
}

async function run(client: Client, name: string, nodeName: string, requests?: object): Promise<void> {
  const containers = [{ name: 'web', image: 'a', ...(requests ? { resources: { requests } } : {}) }];
  const pod = { metadata: { name, namespace: 'default', labels: { app: name } }, spec: { nodeName, containers } };
  await client.of(Pod).create(pod as Pod);
  const containerStatuses = [
    { name: 'web', image: 'a', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
  ];
  const status = { phase: 'Running', containerStatuses };
  await client.of(Pod).patch({ namespace: 'default', name }, merge({ status }), { subresource: 'status' });
}

async function read<T>(client: Client, path: string): Promise<T> {
  return (await client.raw({ method: 'GET', path: `/apis/metrics.k8s.io/v1beta1${path}` })) as T;
}

test('pods and nodes tell what they use: as measured, or a share of what they ask for', async () => {
  await using world = await start({ simulatedUsage: 0.25 });
  const { client } = world;
  const conditions = [{ type: 'Ready', status: 'True' }];
  for (const name of ['there', 'far']) {
    await client.of(Node).create({ metadata: { name }, status: { conditions } } as unknown as Node);
  }
  await run(client, 'real', 'there', { cpu: '1', memory: '1Gi' });
  await run(client, 'ruled', 'there', { cpu: '1', memory: '1Gi' });
  await run(client, 'modest', 'there');
  const { items } = await read<{ items: Metrics[] }>(client, '/namespaces/default/pods');
  const byName = Object.fromEntries(items.map(({ metadata, containers }) => [metadata.name, containers]));
  expect(byName).toEqual({
    real: [{ name: 'web', usage: { cpu: '12345678n', memory: '50Ki' } }],
    ruled: [{ name: 'web', usage: { cpu: '250000000n', memory: '262144Ki' } }],
    modest: [{ name: 'web', usage: { cpu: '1000000n', memory: '16384Ki' } }],
  });
  const node = await read<Metrics>(client, '/nodes/there');
  expect(node).toMatchObject({ kind: 'NodeMetrics', window: '20s', usage: { cpu: '263345678n', memory: '278578Ki' } });
  expect((await read<Metrics>(client, '/nodes/far')).usage).toEqual({ cpu: '0n', memory: '0Ki' });
  expect((await read<{ items: Metrics[] }>(client, '/namespaces/other/pods')).items).toEqual([]);
  await expect(read(client, '/namespaces/default/pods/none')).rejects.toThrow(
    'podmetrics.metrics.k8s.io "default/none" not found',
  );
});

test('a server alone has no metrics', async () => {
  await using world = await start({ controlPlane: false });
  await expect(read(world.client, '/nodes')).rejects.toThrow('404 page not found');
});
