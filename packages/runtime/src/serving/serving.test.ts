import { afterEach, describe, expect, it } from 'vitest';
import { forbidden, notFound, seededRandom, sleep, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Base, Widget, widget } from '../manager/test-kinds.ts';
import { prometheusMetrics } from '../metrics/index.ts';
import { type HealthOptions, healthServer, metricsServer, type ServerRunnable } from './index.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function setUp() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const manager = createManager({ client: api.client(), name: 'test', clock, random: seededRandom(1) });
  stops.push(() => manager.stop());
  manager.controller(Widget).run({ reconcile: async () => {} });
  return { clock, api, manager };
}

async function served(options: Omit<HealthOptions, 'port' | 'host'>): Promise<ServerRunnable> {
  const server = healthServer({ ...options, port: 0, host: '127.0.0.1' });
  await server.start(new AbortController().signal);
  stops.push(async () => server.stop?.());
  return server;
}

async function get(server: ServerRunnable, path: string, method = 'GET') {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return { code: answer.status, text: await answer.text(), type: answer.headers.get('content-type') };
}

describe('the health server', () => {
  it('is live from the start, and ready when all informers have their first state', async () => {
    const t = setUp();
    t.api.intercept = async ({ signal }) => sleep(t.clock, 5_000, signal);
    const server = await served({ manager: t.manager });
    const started = t.manager.start();
    await t.clock.settle();
    expect(await get(server, '/healthz')).toMatchObject({ code: 200, text: 'ok' });
    expect(await get(server, '/readyz')).toMatchObject({
      code: 500,
      text: '[+]started ok\n[-]informers failed: no first listing yet of widgets.test.dev\n[+]lag ok\nreadyz check failed\n',
    });
    await t.clock.advance(6_000);
    await started;
    expect(await get(server, '/readyz?verbose')).toMatchObject({
      code: 200,
      text: '[+]started ok\n[+]informers ok\n[+]lag ok\nreadyz check passed\n',
    });
    expect(await get(server, '/readyz/lag')).toMatchObject({ code: 200, text: 'ok' });
    expect(await get(server, '/readyz/constructor')).toMatchObject({ code: 404 });
    expect(await get(server, '/constructor')).toMatchObject({ code: 404 });
  });

  it('is up before a runnable that does not come up, and says that it is not ready for it', async () => {
    const t = setUp();
    const up = Promise.withResolvers<void>();
    t.manager.add({ name: 'hooks', start: () => up.promise });
    const server = healthServer({ manager: t.manager, port: 0, host: '127.0.0.1' });
    t.manager.add(server);
    const started = t.manager.start();
    await expect.poll(() => server.port).toBeGreaterThan(0);
    expect(await get(server, '/healthz')).toMatchObject({ code: 200, text: 'ok' });
    expect(await get(server, '/readyz/started')).toMatchObject({
      code: 500,
      text: '[-]started failed: not up yet: hooks\nstarted check failed\n',
    });
    up.resolve();
    await started;
    expect(await get(server, '/readyz/started')).toMatchObject({ code: 200 });
  });

  it('is not ready while the API server is out of reach, and is again afterwards', async () => {
    const t = setUp();
    const server = await served({ manager: t.manager });
    await t.manager.start();
    t.api.intercept = () => Promise.reject(new Error('no route'));
    await t.clock.advance(400_000);
    expect((await get(server, '/readyz')).text).toMatch(
      /\[-\]lag failed: nothing was heard of widgets.test.dev for \d+ s/,
    );
    expect(await get(server, '/healthz')).toMatchObject({ code: 200 });
    t.api.intercept = () => {};
    await t.clock.advance(60_000);
    expect(await get(server, '/readyz')).toMatchObject({ code: 200 });
  });

  it('is ready although a kind that only dependencies name is not installed or may not be read', async () => {
    for (const error of [
      notFound({ group: 'test.dev', plural: 'bases' }, ''),
      forbidden({ group: '', plural: 'x' }, '', 'no'),
    ]) {
      const t = setUp();
      const server = await served({ manager: t.manager });
      const dependencies = () => [{ kind: Base, key: { namespace: 'default', name: 'a' } }];
      const actor = { dependencies, observe: async () => undefined, finalize: async () => true };
      t.manager.actor(Widget, actor, { finalizer: 'test.dev/widget', name: 'dependent' }).run();
      await t.manager.start();
      t.api.intercept = ({ path }) => {
        if (path.includes('/bases')) throw error;
      };
      await t.api.client().of(Widget).create(widget('w'));
      await t.clock.advance(400_000);
      expect(t.manager.cache.has(Base)).toBe(true);
      expect(await get(server, '/readyz')).toMatchObject({ code: 200 });
      // A controller of the kind itself cannot do without.
      t.manager.controller(Base).run({ reconcile: async () => {} });
      await t.clock.settle();
      expect((await get(server, '/readyz')).text).toContain('no first listing yet of bases.test.dev');
    }
  });

  it('asks checks of its user, and waits for none for ever', async () => {
    const t = setUp();
    const server = await served({
      manager: t.manager,
      live: { disk: () => Promise.reject(new Error('full')) },
      ready: { hangs: () => new Promise(() => {}) },
    });
    expect((await get(server, '/livez')).text).toBe('[+]manager ok\n[-]disk failed: full\nlivez check failed\n');
    const asked = get(server, '/readyz/hangs');
    while (t.clock.untilNext === undefined) await new Promise(setImmediate);
    await t.clock.advance(5_000);
    expect(await asked).toMatchObject({
      code: 500,
      text: '[-]hangs failed: no answer within 5 s\nhangs check failed\n',
    });
  });

  it('is dead once the manager has stopped', async () => {
    const t = setUp();
    const server = await served({ manager: t.manager });
    await t.manager.start();
    await t.manager.stop();
    expect(await get(server, '/healthz')).toMatchObject({ code: 500 });
  });
});

describe('the metrics server', () => {
  it('serves a registry to scrapers, and nothing else', async () => {
    const registry = await prometheusMetrics();
    registry.counter({ name: 'greetings_total', help: 'Greetings' }).inc({}, 3);
    const server = metricsServer({ registry, port: 0, host: '127.0.0.1' });
    await server.start(new AbortController().signal);
    stops.push(async () => server.stop?.());
    const answer = await get(server, '/metrics');
    expect(answer).toMatchObject({ code: 200, type: registry.contentType });
    expect(answer.text).toContain('greetings_total 3');
    expect(await get(server, '/')).toMatchObject({ code: 404 });
    expect(await get(server, '/metrics', 'POST')).toMatchObject({ code: 405 });
    expect(await get(server, '/metrics', 'HEAD')).toMatchObject({ code: 200, text: '' });
  });

  it('says that its port is taken', async () => {
    const registry = await prometheusMetrics();
    const first = metricsServer({ registry, port: 0, host: '127.0.0.1' });
    await first.start(new AbortController().signal);
    stops.push(async () => first.stop?.());
    const second = metricsServer({ registry, port: first.port, host: '127.0.0.1' });
    await expect(second.start(new AbortController().signal)).rejects.toThrow('EADDRINUSE');
  });
});
