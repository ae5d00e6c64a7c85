import { expect, test } from 'vitest';
import { apiError, seededRandom, VirtualClock } from '../core/index.ts';
import { FakeServer } from './fake-server.ts';
import { createClient, type Interceptor } from './index.ts';
import { things } from './test-things.ts';

const key = { namespace: 'a', name: 'x' };

function setUp(interceptors: readonly Interceptor[]) {
  const clock = new VirtualClock();
  const server = new FakeServer();
  const client = createClient({ transport: server, clock, random: seededRandom(1), interceptors });
  return { clock, server, client, resource: client.of(things) };
}

test('the first is the outermost, for calls and for watches', async () => {
  const steps: string[] = [];
  const noting = (name: string): Interceptor => ({
    async send(request, next) {
      steps.push(`${name} > ${request.method}`);
      const response = await next(request);
      steps.push(`${name} < ${response.status}`);
      return response;
    },
    async watch(request, next) {
      steps.push(`${name} watch`);
      return next(request);
    },
  });
  const { resource, client } = setUp([noting('a'), {}, noting('b')]);
  await resource.create({ metadata: key });
  await resource.watch();
  await client.transport.send({ method: 'GET', path: '/apis/x.dev/v1/namespaces/a/things' });
  expect(steps).toEqual([
    'a > POST',
    'b > POST',
    'b < 200',
    'a < 200',
    'a watch',
    'b watch',
    'a > GET',
    'b > GET',
    'b < 200',
    'a < 200',
  ]);
});

test('it may change the request and the answer, answer itself, or fail', async () => {
  const { resource, server } = setUp([
    {
      async send(request, next) {
        if (request.method === 'DELETE') throw apiError(403, 'Forbidden', 'not today');
        if (request.path.endsWith('/cached'))
          return { status: 200, body: { metadata: { name: 'cached' } }, warnings: [] };
        const response = await next({ ...request, headers: { traceparent: '00-1-2-01' } });
        return { ...response, body: { ...(response.body as object), seen: true } };
      },
    },
  ]);
  expect(await resource.create({ metadata: key })).toMatchObject({ seen: true });
  expect(server.requests.at(-1)).toMatchObject({ headers: { traceparent: '00-1-2-01' } });
  expect(await resource.get({ namespace: 'a', name: 'cached' })).toEqual({ metadata: { name: 'cached' } });
  await expect(resource.delete(key)).rejects.toMatchObject({ code: 403 });
  expect(server.requests.map(({ method }) => method)).toEqual(['POST']);
});

test('a watch can be wrapped', async () => {
  const { resource, server } = setUp([
    {
      async watch(request, next) {
        const stream = await next(request);
        return (async function* () {
          for await (const events of stream) yield events.filter(({ type }) => type !== 'BOOKMARK');
        })();
      },
    },
  ]);
  const stream = (await resource.watch({ sendInitialEvents: true }))[Symbol.asyncIterator]();
  await resource.create({ metadata: key });
  server.bookmark();
  server.breakWatches();
  const batches: string[][] = [];
  for (let next = await stream.next(); !next.done; next = await stream.next()) {
    batches.push(next.value.map(({ type }) => type));
  }
  expect(batches.flat()).toEqual(['ADDED']);
});

test('each try is told its number', async () => {
  const attempts: (number | undefined)[] = [];
  const { resource, clock } = setUp([
    {
      async send({ attempt }) {
        attempts.push(attempt);
        throw apiError(503, 'ServiceUnavailable', 'starting');
      },
    },
  ]);
  const failed = expect(resource.get(key)).rejects.toMatchObject({ code: 503 });
  await clock.advance(30_000);
  await failed;
  expect(attempts).toEqual([undefined, 1, 2, 3, 4]);
});
