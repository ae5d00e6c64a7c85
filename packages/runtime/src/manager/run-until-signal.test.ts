import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import type { Lease } from '../election/index.ts';
import { createManager, type Manager, type ManagerOptions, type RunOptions, runUntilSignal } from './index.ts';
import { TestApi } from './test-api.ts';
import { Widget } from './test-kinds.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

/** What a process is to a program: it gets signals, and ends with a code. */
class Program extends EventEmitter {
  readonly codes: number[] = [];
  text = '';
  readonly stderr = {
    write: (text: string) => {
      this.text += text;
    },
  };
  exit(code: number): void {
    this.codes.push(code);
  }
}

function world() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const program = new Program();
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { ...silentLogger, info: write, error: write };
  const make = (identity: string, options: Partial<ManagerOptions> = {}) => {
    const election = { namespace: 'system', lease: 'op', identity };
    const random = seededRandom(1);
    const manager = createManager({ client: api.client(), clock, random, name: 'op', election, ...options });
    managers.push(manager);
    manager.controller(Widget).run({ reconcile: async () => {} });
    return manager;
  };
  const run = (setUp: Parameters<typeof runUntilSignal>[0], options: Partial<RunOptions> = {}) =>
    runUntilSignal(setUp, { process: program, log, ...options });
  const holder = () => api.at<Lease>('/apis/coordination.k8s.io/v1/namespaces/system/leases/op')?.spec?.holderIdentity;
  return { clock, api, program, lines, make, run, holder };
}

describe('a program', () => {
  it.each(['SIGTERM', 'SIGINT'])('runs until %s, gives the lease back and ends with 0', async (signal) => {
    const t = world();
    let running = 0;
    const ended = t.run(() => t.make('a'), { onRunning: () => running++ });
    await t.clock.settle();
    expect([running, t.holder(), t.program.codes]).toEqual([1, 'a', []]);
    t.program.emit(signal, signal);
    await ended;
    expect([running, t.holder(), t.program.codes]).toEqual([1, undefined, [0]]);
    expect(t.program.listenerCount(signal)).toBe(0);
  });

  it('goes on although nothing of its manager keeps Node alive', async () => {
    const t = world();
    const random = seededRandom(1);
    const ended = t.run(() => createManager({ client: t.api.client(), clock: t.clock, random, name: 'hooks' }));
    await t.clock.settle();
    expect(t.clock.untilNext).toBeDefined();
    await t.clock.advance(10 * 3_600_000);
    expect(t.clock.untilNext).toBeDefined();
    t.program.emit('SIGTERM', 'SIGTERM');
    await ended;
    expect(t.clock.untilNext).toBeUndefined();
  });

  it('ends with 0 although it has only waited: for the lease, or for its kinds', async () => {
    const t = world();
    await t.make('other').start();
    let running = 0;
    const ended = t.run(() => t.make('b'), { onRunning: () => running++ });
    await t.clock.advance(5_000);
    t.program.emit('SIGTERM', 'SIGTERM');
    await ended;
    expect([running, t.program.codes]).toEqual([0, [0]]);
  });

  it('ends with 0 while it is still set up, and starts nothing then', async () => {
    const t = world();
    const { promise, resolve } = Promise.withResolvers<Manager>();
    let told: AbortSignal | undefined;
    const ended = t.run((stop) => {
      told = stop;
      return promise;
    });
    t.program.emit('SIGTERM', 'SIGTERM');
    await ended;
    expect([told?.aborted, t.program.codes]).toEqual([true, [0]]);
    const manager = t.make('a');
    resolve(manager);
    await t.clock.settle();
    expect(manager.state).toBe('new');
  });

  it('ends at once with the code of the signal when a second one comes', async () => {
    const t = world();
    const manager = t.make('a');
    manager.add({ name: 'stuck', start: async () => {}, stop: () => new Promise(() => {}) });
    const ended = t.run(() => manager);
    await t.clock.settle();
    t.program.emit('SIGTERM', 'SIGTERM');
    await t.clock.settle();
    expect(t.program.codes).toEqual([]);
    t.program.emit('SIGINT', 'SIGINT');
    expect(t.program.codes).toEqual([130]);
    await t.clock.advance(60_000);
    await ended;
  });

  it('ends with 1, and one line that says why, when it cannot be set up or cannot start', async () => {
    for (const failing of ['set up', 'start']) {
      const t = world();
      await t.run(() => {
        if (failing === 'set up') throw new Error('no cluster to connect to');
        const manager = t.make('a');
        manager.add({ name: 'server', start: () => Promise.reject(new Error('no cluster to connect to')) });
        return manager;
      });
      expect(t.program.codes).toEqual([1]);
      expect(t.lines).toEqual(['no cluster to connect to {}']);
      expect(t.holder()).toBeUndefined();
    }
  });

  it('gives the lease back when what is called at the start fails', async () => {
    const t = world();
    const onRunning = () => {
      throw new Error('no');
    };
    await t.run(() => t.make('a'), { onRunning });
    expect([t.holder(), t.program.codes]).toEqual([undefined, [1]]);
  });

  it('shows where a mistake in the program is', async () => {
    const t = world();
    await t.run(() => (undefined as unknown as { make(): Manager }).make(), {
      log: { ...silentLogger, error: (fields) => expect(fields).toHaveProperty('err.stack') },
    });
    expect(t.program.codes).toEqual([1]);
    expect.assertions(2);
  });

  it('says why on standard error when it has no logger', async () => {
    const t = world();
    await runUntilSignal(() => Promise.reject(new Error('no cluster to connect to')), { process: t.program });
    expect(t.program.text).toBe('no cluster to connect to\n');
  });

  it('ends with 1 when it loses its lease, and with 0 when its manager is stopped', async () => {
    const t = world();
    const ended = t.run(() => t.make('a'));
    await t.clock.settle();
    t.api.intercept = ({ path }) => {
      if (path.includes('/leases')) throw new Error('away');
    };
    await t.clock.advance(15_000);
    await ended;
    expect(t.program.codes).toEqual([1]);
    expect(t.lines.at(-1)).toContain('leadership was lost');

    const u = world();
    const manager = u.make('a');
    const over = u.run(() => manager);
    await u.clock.settle();
    await manager.stop();
    await over;
    expect(u.program.codes).toEqual([0]);
  });
});
