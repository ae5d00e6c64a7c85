import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { startServer } from '../../../embedded-server.ts';

const nodes = '/api/v1/nodes';
const node = (capacity: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  status: { capacity: { cpu: capacity }, addresses: [{ type: 'Hostname', address: 'n' }] },
});

test('a node is created with its status; later only its status endpoint changes that', async () => {
  const clock = new VirtualClock();
  await using server = await startServerForTest(clock);
  const created = await server.send({ method: 'POST', path: nodes, body: node('4') });
  expect(created.body).toMatchObject({ status: { capacity: { cpu: '4' }, allocatable: { cpu: '4' } } });
  const put = await server.send({ method: 'PUT', path: `${nodes}/n`, body: node('8') });
  expect(put.body).toMatchObject({ status: { capacity: { cpu: '4' } } });
  const body = { status: { capacity: { cpu: '8' } } };
  const contentType = 'application/merge-patch+json';
  const patched = await server.send({ method: 'PATCH', path: `${nodes}/n/status`, contentType, body });
  expect(patched.body).toMatchObject({ status: { capacity: { cpu: '8' } } });
});

async function startServerForTest(clock: VirtualClock) {
  const server = await startServer({ clock, random: seededRandom(1), log: silentLogger, options: {} });
  const transport = server.transport({ name: 'admin', groups: ['system:masters'] });
  return { send: transport.send.bind(transport), [Symbol.asyncDispose]: () => server.close() };
}
