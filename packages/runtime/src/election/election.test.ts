import { describe, expect, it } from 'vitest';
import { createClient } from '../client/index.ts';
import { apiError, type Clock, seededRandom, silentLogger, sleep, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part } from '../manager/test-kinds.ts';
import { fenced, type Lease, LeaseElector, leaseKind, NotLeading } from './index.ts';
import { Machine } from './test-machine.ts';

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/system/leases/op';
const part = (name: string): Part => ({ metadata: { name, namespace: 'default' } });

function electorOf(api: TestApi, clock: Clock, identity: string) {
  const client = createClient({ transport: api, clock });
  const elector = new LeaseElector({
    client,
    clock,
    random: seededRandom(identity.length),
    log: silentLogger,
    namespace: 'system',
    lease: 'op',
    identity,
  });
  return { elector, client: fenced(client, elector) };
}

/** A leader on a machine that can be frozen and suspended. */
async function leadingOnMachine() {
  const world = new VirtualClock();
  const api = new TestApi(world);
  const machine = new Machine(world);
  const a = electorOf(api, machine.clock, 'a');
  a.elector.start();
  await a.elector.leading;
  return { world, api, machine, a };
}

describe('lease elector', () => {
  it('creates the lease with six-digit times and leads at once', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const { elector } = electorOf(api, clock, 'a');
    elector.start();
    await elector.leading;
    expect(elector.state).toBe('leading');
    expect(api.at<Lease>(leasePath)?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await elector.stop();
  });

  it('lets a second one take over only when the first has stopped renewing for the lease duration', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    const b = electorOf(api, clock, 'b');
    a.elector.start();
    await clock.settle();
    b.elector.start();
    await clock.advance(60_000);
    expect([a.elector.state, b.elector.state]).toEqual(['leading', 'standby']);
    api.intercept = async (request) => {
      const holder = (request.body as Lease | undefined)?.spec?.holderIdentity;
      if (request.method !== 'GET' && holder === 'a') throw new Error('a is cut off');
    };
    const from = clock.now();
    await clock.runUntil(() => a.elector.state === 'lost');
    expect(clock.now() - from).toBeLessThanOrEqual(10_000);
    expect(b.elector.state).toBe('standby');
    await clock.runUntil(() => b.elector.state === 'leading');
    expect(clock.now() - from).toBeGreaterThan(13_000);
    expect(clock.now() - from).toBeLessThan(20_000);
    expect(api.at<Lease>(leasePath)?.spec?.leaseTransitions).toBe(1);
    await Promise.all([a.elector.stop(), b.elector.stop()]);
  });

  it('gives the lease back when stopped, so that the next, which may not watch it, leads within its next try', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    const b = electorOf(api, clock, 'b');
    a.elector.start();
    await clock.settle();
    b.elector.start();
    await clock.settle();
    api.intercept = ({ path, query }) => {
      if (path.endsWith('/leases') && query?.watch) throw apiError(403, 'Forbidden', 'no');
    };
    await a.elector.stop();
    expect(api.at<Lease>(leasePath)?.spec?.holderIdentity).toBeUndefined();
    await clock.advance(2_400);
    expect(b.elector.state).toBe('leading');
    await b.elector.stop();
  });

  it('leads at once when the lease is given back, as it watches it, and watches no more', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    const b = electorOf(api, clock, 'b');
    const c = electorOf(api, clock, 'c');
    a.elector.start();
    await clock.settle();
    b.elector.start();
    c.elector.start();
    await clock.advance(500);
    const from = clock.monotonic();
    await a.elector.stop();
    await clock.settle();
    const states = () => [b.elector.state, c.elector.state].toSorted();
    expect([states(), clock.monotonic() - from]).toEqual([['leading', 'standby'], 0]);
    expect(api.at<Lease>(leasePath)?.spec?.leaseTransitions).toBe(1);
    await Promise.all([b.elector.stop(), c.elector.stop()]);
    expect(clock.untilNext).toBeUndefined();
  });

  it('leaves the leader the time to put a deleted lease back, however often the deletion is told', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    const b = electorOf(api, clock, 'b');
    a.elector.start();
    await clock.settle();
    b.elector.start();
    await clock.advance(2_100);
    await createClient({ transport: api, clock }).of(leaseKind).delete({ namespace: 'system', name: 'op' });
    await clock.advance(30_000);
    expect([a.elector.state, b.elector.state]).toEqual(['leading', 'standby']);
    expect(api.at<Lease>(leasePath)?.spec?.holderIdentity).toBe('a');
    await Promise.all([a.elector.stop(), b.elector.stop()]);
  });

  it.each([
    ['fail', () => Promise.reject(new Error('down'))],
    ['hang', () => new Promise<void>(() => {})],
  ])(
    'refuses writes and aborts those under way at the deadline when renewals %s; reads go on',
    async (_how, renewal) => {
      const clock = new VirtualClock();
      const api = new TestApi(clock);
      const { elector, client } = electorOf(api, clock, 'a');
      await expect(client.of(Part).create(part('early'))).rejects.toThrow(NotLeading);
      elector.start();
      await elector.leading;
      await client.of(Part).create(part('p'));
      api.intercept = async (request) => {
        if (request.path.includes('/leases')) await renewal();
        if (request.method === 'DELETE') await sleep(clock, 60_000, request.signal);
      };
      const slow = client.of(Part).delete({ namespace: 'default', name: 'p' });
      const refused = expect(slow).rejects.toThrow(NotLeading);
      await clock.advance(10_000);
      await refused;
      await expect(client.of(Part).create(part('late'))).rejects.toThrow('not the leader by lease system/op');
      expect((await client.of(Part).list({ namespace: 'default' })).items).toHaveLength(1);
      expect(elector.signal.aborted).toBe(true);
      await elector.stop();
    },
  );

  it('gives the lease back when stopped while it takes it', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    a.elector.start();
    // The server has stored the claim, its answer is not read yet.
    while (!api.at(leasePath)) await null;
    await a.elector.stop();
    expect(api.at<Lease>(leasePath)?.spec?.holderIdentity).toBeUndefined();
  });

  it('rejects "leading" when stopped before it ever led', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    a.elector.start();
    await clock.settle();
    const b = electorOf(api, clock, 'b');
    b.elector.start();
    await clock.settle();
    await b.elector.stop();
    await expect(b.elector.leading).rejects.toThrow(NotLeading);
    expect(api.at<Lease>(leasePath)?.spec?.holderIdentity).toBe('a');
    await a.elector.stop();
  });

  it('puts a deleted lease back as held when its holder does not, and takes it only when its time is over', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    const b = electorOf(api, clock, 'b');
    a.elector.start();
    await clock.settle();
    b.elector.start();
    await clock.settle();
    api.intercept = (request) => {
      const holder = (request.body as Lease | undefined)?.spec?.holderIdentity;
      if (holder === 'a') throw new Error('a is cut off');
    };
    await api.client().of(leaseKind).delete({ namespace: 'system', name: 'op' });
    const from = clock.now();
    await clock.runUntil(() => b.elector.state === 'leading');
    expect(clock.now() - from).toBeGreaterThan(15_000);
    expect(a.elector.state).toBe('lost');
    await b.elector.stop();
  });

  it('writes nothing after its machine was suspended, until it has renewed', async () => {
    const { world, machine, a } = await leadingOnMachine();
    await world.advance(500);
    machine.suspend(12_000);
    await world.advance(12_001);
    // By its monotonic clock no time has passed.
    expect([a.elector.state, a.elector.leads]).toEqual(['leading', false]);
    await expect(a.client.of(Part).create(part('p'))).rejects.toThrow(NotLeading);
    await world.advance(2_000);
    expect(a.elector.leads).toBe(true);
    await a.elector.stop();
  });

  it('does not send a write again, which the server had put off, when it leads no more', async () => {
    const { world, api, machine, a } = await leadingOnMachine();
    let tries = 0;
    api.intercept = ({ path }) => {
      if (path.includes('/leases')) return;
      tries++;
      throw apiError(429, 'TooManyRequests', 'wait', { retryAfterSeconds: 1 });
    };
    const refused = expect(a.client.of(Part).create(part('p'))).rejects.toThrow(NotLeading);
    await world.advance(500);
    machine.freeze(60_000);
    await world.advance(61_000);
    await refused;
    expect(tries).toBe(1);
    await a.elector.stop();
  });

  it('leaves the lease to expire when a write that it cut off may still arrive', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    a.elector.start();
    await a.elector.leading;
    api.intercept = ({ path, signal }) => (path.includes('/leases') ? undefined : sleep(clock, 60_000, signal));
    const refused = expect(a.client.of(Part).create(part('p'))).rejects.toThrow(NotLeading);
    await clock.settle();
    await a.elector.stop();
    await refused;
    expect(api.at<Lease>(leasePath)?.spec?.holderIdentity).toBe('a');
  });

  it('refuses times that could not keep two leaders apart', () => {
    const clock = new VirtualClock();
    const client = new TestApi(clock).client();
    const base = {
      client,
      clock,
      random: seededRandom(1),
      log: silentLogger,
      namespace: 'n',
      lease: 'l',
      identity: 'i',
    };
    const times = { leaseDuration: 10_000, renewDeadline: 10_000, retryPeriod: 2_000 };
    expect(() => new LeaseElector({ ...base, times })).toThrow('need leaseDuration > renewDeadline');
  });
});
