import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient, type Transport, type TransportRequest } from '../client/index.ts';
import { type Clock, seededRandom, silentLogger, sleep, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part } from '../manager/test-kinds.ts';
import { fenced, type Lease, LeaseElector, NotLeading } from './index.ts';

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

  it('gives the lease back when stopped, so that the next leads within its next try', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const a = electorOf(api, clock, 'a');
    const b = electorOf(api, clock, 'b');
    a.elector.start();
    await clock.settle();
    b.elector.start();
    await clock.settle();
    await a.elector.stop();
    expect(api.at<Lease>(leasePath)?.spec?.holderIdentity).toBeUndefined();
    await clock.advance(2_400);
    expect(b.elector.state).toBe('leading');
    await b.elector.stop();
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

/** A process that can be frozen, as by SIGSTOP or a long pause of the garbage collector: its clock goes on, it does not. */
class Process {
  readonly clock: Clock;
  readonly #world: VirtualClock;
  #thaw: (() => void)[] | undefined;

  constructor(world: VirtualClock) {
    this.#world = world;
    this.clock = {
      now: () => world.now(),
      monotonic: () => world.monotonic(),
      turn: () => undefined,
      after: (ms, fire) => {
        let cancelled = false;
        const timer = world.after(ms, () => this.whenAwake(() => !cancelled && fire()));
        return {
          cancel() {
            cancelled = true;
            timer.cancel();
          },
        };
      },
    };
  }

  get frozen(): boolean {
    return this.#thaw !== undefined;
  }

  whenAwake(run: () => void): void {
    if (this.#thaw) this.#thaw.push(run);
    else run();
  }

  freeze(ms: number): void {
    if (this.#thaw) return;
    this.#thaw = [];
    this.#world.after(ms, () => {
      const waiting = this.#thaw ?? [];
      this.#thaw = undefined;
      for (const run of waiting) run();
    });
  }

  /** A network on which requests travel although the sender is frozen, and answers wait until it wakes. */
  network(api: TestApi, latency: () => number, cut: () => boolean): Transport {
    const travel = () => new Promise<void>((resolve) => this.#world.after(latency(), resolve));
    return {
      send: async (request: TransportRequest) => {
        await travel();
        if (cut()) throw new Error('unreachable');
        const { signal: _sent, ...rest } = request;
        const answer = api.send(rest);
        answer.catch(() => {}); // Whoever waits for it hears of it later.
        await travel();
        await new Promise<void>((resolve) => this.whenAwake(resolve));
        return answer;
      },
      watch: (request) => api.watch(request),
      close: async () => {},
    };
  }
}

const faultArb = fc.record({
  who: fc.nat(1),
  at: fc.integer({ min: 1_000, max: 120_000 }),
  ms: fc.integer({ min: 100, max: 40_000 }),
  kind: fc.constantFrom('freeze' as const, 'cut' as const),
});

describe('two electors under pauses and cuts', () => {
  it('never has two writers, and has one again when the faults are over', async () => {
    let handovers = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(faultArb, { maxLength: 8 }), fc.integer(), async (faults, seed) => {
        const world = new VirtualClock();
        const api = new TestApi(world);
        const random = seededRandom(seed);
        const log: { who: string; at: number }[] = [];
        api.intercept = (request) => {
          const name = (request.body as Part | undefined)?.metadata?.name ?? '';
          if (!request.path.includes('/leases')) log.push({ who: name.split('.')[0] ?? '', at: world.now() });
        };
        const done = new AbortController();
        const cuts = [0, 0];
        const processes = [0, 1].map((index) => {
          const process = new Process(world);
          const latency = () => random.next() * 1_500;
          const transport = process.network(api, latency, () => world.now() < (cuts[index] ?? 0));
          void live(process, transport, `p${index}`, done.signal);
          return process;
        });
        for (const { who, at, ms, kind } of faults) {
          world.after(at, () => {
            if (kind === 'freeze') processes[who]?.freeze(ms);
            else cuts[who] = world.now() + ms;
          });
        }
        await world.advance(160_000);
        const end = world.now();
        await world.advance(60_000);
        done.abort(new Error('end of test'));
        await world.advance(60_000);
        const order = log.map(({ who }) => who).filter((who, i, all) => who !== all[i - 1]);
        expect(new Set(order).size, `writers took turns: ${order.join(' ')}`).toBe(order.length);
        expect(log.some(({ at }) => at > end)).toBe(true);
        handovers += order.length - 1;
      }),
      { numRuns: 25, seed: 3 },
    );
    expect(handovers).toBeGreaterThan(10);
  });
});

/** Leads when it can and then writes as fast as it may; when it has lost, starts afresh under a new identity. */
async function live(process: Process, transport: Transport, name: string, signal: AbortSignal): Promise<void> {
  const { clock } = process;
  const random = seededRandom(name.length);
  for (let life = 0; !signal.aborted; life++) {
    const identity = `${name}-${life}`;
    const client = createClient({ transport, clock });
    const options = { client, clock, random, log: silentLogger, namespace: 'system', lease: 'op', identity };
    const elector = new LeaseElector(options);
    const writer = fenced(client, elector);
    elector.start();
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([elector.leading, stopped]);
    for (let i = 0; elector.state === 'leading' && !signal.aborted; i++) {
      void writer
        .of(Part)
        .create(part(`${identity}.${i}`))
        .catch(() => {});
      await sleep(clock, 400);
    }
    if (signal.aborted) await elector.stop();
  }
}
