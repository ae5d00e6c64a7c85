import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createClient, type TransportRequest } from '../client/index.ts';
import type { ReconcileContext } from '../controller/index.ts';
import { apiError, seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget, widget } from '../manager/test-kinds.ts';
import { clientTracing, pathTemplate } from './index.ts';

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

function setUp() {
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
  const clock = new VirtualClock();
  const server = new TestApi(clock);
  const requests: TransportRequest[] = [];
  server.intercept = (request) => void requests.push(request);
  const random = seededRandom(1);
  const client = createClient({ transport: server, clock, random, interceptors: [clientTracing(tracer)] });
  const manager = createManager({ client, name: 'op', clock, random, tracer, shutdownTimeout: 0 });
  managers.push(manager);
  const spans = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);
  const run = async (reconcile: (context: ReconcileContext) => Promise<void>, names: readonly string[]) => {
    manager.controller(Widget, 'w').run({ reconcile });
    await manager.start();
    for (const name of names) await client.of(Widget).create(widget(name));
    await clock.advance(0);
  };
  return { tracer, clock, server, requests, client, manager, spans, run };
}

const partsPath = '/api/v1/namespaces/{namespace}/configmaps';
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

it('makes a reconcile a span, and its requests children of it that the server is told of', async () => {
  const t = setUp();
  await t.run(async ({ client, key }) => void (await client.of(Part).create({ metadata: key })), ['a']);
  const [reconcile] = t.spans('reconcile w');
  const [request] = t.spans(`POST ${partsPath}`);
  expect(reconcile?.attributes).toMatchObject({
    'coxswain.controller': 'w',
    'coxswain.kind': 'Widget',
    'coxswain.namespace': 'default',
    'coxswain.name': 'a',
    'coxswain.queue.lane': 'user',
    'coxswain.queue.wait_ms': 0,
    'coxswain.failures': 0,
    'coxswain.result': 'success',
  });
  expect(parentOf(request)).toBe(reconcile?.spanContext().spanId);
  expect(request).toMatchObject({
    kind: 2,
    attributes: { 'http.request.method': 'POST', 'url.template': partsPath, 'http.response.status_code': 200 },
  });
  const { traceId = '', spanId = '' } = request?.spanContext() ?? {};
  const sent = t.requests.find(({ path, method }) => method === 'POST' && path.endsWith('/configmaps'));
  expect(sent?.headers).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
});

it('keeps reconciles that run at the same time apart', async () => {
  const t = setUp();
  const both = Promise.withResolvers<void>();
  let running = 0;
  const names = ['a', 'b', 'c'];
  await t.run(async ({ client, key }) => {
    if (++running === names.length) both.resolve();
    await both.promise;
    await client.of(Part).create({ metadata: key });
    await client.of(Part).get(key);
  }, names);
  const reconciles = t.spans('reconcile w');
  expect(new Set(reconciles.map((span) => span.spanContext().traceId)).size).toBe(names.length);
  for (const reconcile of reconciles) {
    const { spanId } = reconcile.spanContext();
    expect(t.spans(`POST ${partsPath}`).filter((span) => parentOf(span) === spanId)).toHaveLength(1);
    expect(t.spans(`GET ${partsPath}/{name}`).filter((span) => parentOf(span) === spanId)).toHaveLength(1);
  }
});

it('records errors of reconciles and requests, and the attempt of a retry', async () => {
  const t = setUp();
  let refusals = 1;
  t.server.intercept = ({ path }) => {
    if (!path.endsWith('/configmaps')) return;
    if (refusals-- > 0) throw apiError(429, 'TooManyRequests', 'later', { retryAfterSeconds: 1 });
    throw apiError(403, 'Forbidden', 'no parts');
  };
  await t.run(async ({ client, key }) => void (await client.of(Part).create({ metadata: key })), ['a']);
  await t.clock.advance(2_000);
  const [reconcile] = t.spans('reconcile w');
  expect(reconcile).toMatchObject({
    status: { code: 2, message: expect.stringContaining('no parts') },
    attributes: { 'coxswain.result': 'error' },
  });
  expect(reconcile?.events).toMatchObject([{ name: 'exception' }]);
  const [first, second] = t.spans(`POST ${partsPath}`);
  expect(first?.attributes).toMatchObject({ 'http.response.status_code': 429 });
  expect(first?.attributes).not.toHaveProperty(['http.request.resend_count']);
  expect(second).toMatchObject({
    status: { code: 2 },
    attributes: { 'http.response.status_code': 403, 'http.request.resend_count': 1 },
  });
  expect(t.spans('reconcile w').at(-1)?.attributes['coxswain.failures']).toBeGreaterThan(0);
});

it('makes an action a span between the reconcile and its requests', async () => {
  const t = setUp();
  t.manager
    .actor(
      Widget,
      {
        observe: async ({ cache, client, object }) => {
          if (cache.store(Part).get({ namespace: 'default', name: 'p' })) return undefined;
          return {
            name: 'create-part',
            run: async () =>
              void (await client.of(Part).create({ metadata: { namespace: 'default', name: object.metadata.name } })),
          };
        },
        finalize: async () => true,
      },
      { name: 'w', finalizer: 'test.dev/w' },
    )
    .owns(Part)
    .run();
  await t.manager.start();
  await t.client.of(Widget).create(widget('p'));
  await t.clock.advance(0);
  const [action] = t.spans('action create-part');
  expect(action?.attributes).toEqual({ 'coxswain.action': 'create-part' });
  const reconcile = t.spans('reconcile w').find((span) => span.spanContext().spanId === parentOf(action));
  expect(reconcile).toBeDefined();
  const request = t.spans(`POST ${partsPath}`).find((span) => parentOf(span) === action?.spanContext().spanId);
  expect(request).toBeDefined();
});

it('begins a trace of its own for a reconcile and for a watch, whatever runs around the start', async () => {
  const t = setUp();
  await t.tracer.startActiveSpan('start', async (span) => {
    await t.run(async () => {}, ['a']);
    span.end();
  });
  const watches = t.spans('GET /apis/test.dev/v1/widgets');
  expect(watches.length).toBeGreaterThan(0);
  for (const span of [...watches, ...t.spans('reconcile w')]) expect(parentOf(span)).toBeUndefined();
});

it.each([
  ['/api/v1/pods', '/api/v1/pods'],
  ['/api/v1/nodes/n-1', '/api/v1/nodes/{name}'],
  ['/api/v1/namespaces', '/api/v1/namespaces'],
  ['/api/v1/namespaces/x', '/api/v1/namespaces/{name}'],
  ['/api/v1/namespaces/x/status', '/api/v1/namespaces/{name}/status'],
  ['/api/v1/namespaces/x/pods', '/api/v1/namespaces/{namespace}/pods'],
  ['/apis/apps/v1/namespaces/x/deployments/d/scale', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale'],
  ['/api/v1/namespaces/x/pods/p/proxy/a/b', '/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}'],
  ['/apis/apps/v1', '/apis/apps/v1'],
  ['/apis', '/apis'],
  ['/version', '/version'],
])('takes the names out of %s', (path, template) => {
  expect(pathTemplate(path)).toBe(template);
});
