import { expect, test } from 'vitest';
import { apiError, seededRandom, VirtualClock } from '../core/index.ts';
import { prometheusMetrics } from '../metrics/index.ts';
import { ConnectionError } from './errors.ts';
import { FakeServer } from './fake-server.ts';
import { clientMetrics, createClient } from './index.ts';
import { things } from './test-things.ts';

const key = { namespace: 'a', name: 'x' };

async function setUp() {
  const clock = new VirtualClock();
  const server = new FakeServer();
  const registry = await prometheusMetrics();
  const interceptors = [clientMetrics(registry, { host: '10.0.0.1:6443', clock })];
  const resource = createClient({ transport: server, clock, random: seededRandom(1), interceptors }).of(things);
  const lines = async (metric: string) => (await registry.text()).split('\n').filter((line) => line.startsWith(metric));
  return { clock, server, resource, lines };
}

test('requests by status, method and host; watches too', async () => {
  const { resource, server, lines } = await setUp();
  await resource.create({ metadata: key });
  await resource.get(key);
  await resource.watch();
  await expect(resource.create({ metadata: key })).rejects.toMatchObject({ code: 409 });
  server.fail = () => new ConnectionError('refused');
  await expect(resource.delete(key)).rejects.toThrow('refused');
  expect(await lines('rest_client_requests_total')).toEqual([
    'rest_client_requests_total{code="200",method="POST",host="10.0.0.1:6443"} 1',
    'rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"} 2',
    'rest_client_requests_total{code="409",method="POST",host="10.0.0.1:6443"} 1',
    'rest_client_requests_total{code="<error>",method="DELETE",host="10.0.0.1:6443"} 1',
  ]);
  expect(await lines('rest_client_request_retries_total')).toEqual([]);
});

test('every try counts, and those after the first as retries; the time is that of a try', async () => {
  const { clock, resource, server, lines } = await setUp();
  await resource.create({ metadata: key });
  let failures = 2;
  server.fail = () => (failures-- > 0 ? apiError(429, 'TooManyRequests', 'wait', { retryAfterSeconds: 2 }) : undefined);
  const got = resource.get(key);
  await clock.advance(10_000);
  await got;
  expect(await lines('rest_client_requests_total')).toContain(
    'rest_client_requests_total{code="429",method="GET",host="10.0.0.1:6443"} 2',
  );
  expect(await lines('rest_client_request_retries_total')).toEqual([
    'rest_client_request_retries_total{code="429",verb="GET",host="10.0.0.1:6443"} 1',
    'rest_client_request_retries_total{code="200",verb="GET",host="10.0.0.1:6443"} 1',
  ]);
  expect(await lines('rest_client_request_duration_seconds_count')).toContain(
    'rest_client_request_duration_seconds_count{verb="GET",host="10.0.0.1:6443"} 3',
  );
  expect(await lines('rest_client_request_duration_seconds_sum')).toContain(
    'rest_client_request_duration_seconds_sum{verb="GET",host="10.0.0.1:6443"} 0',
  );
});

test('a slow answer is measured', async () => {
  const { clock, resource, server, lines } = await setUp();
  const send = server.send.bind(server);
  server.send = async (request) => {
    await new Promise<void>((resolve) => clock.after(1500, resolve));
    return send(request);
  };
  const made = resource.create({ metadata: key });
  await clock.advance(2000);
  await made;
  expect(await lines('rest_client_request_duration_seconds_sum')).toEqual([
    'rest_client_request_duration_seconds_sum{verb="POST",host="10.0.0.1:6443"} 1.5',
  ]);
});
