import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, sleep } from '@coxswain/runtime/core';
import { Pipe, type Weather } from './pipe.ts';

/**
 * - `open`: bytes pass;
 * - `held`: came while the other end was lost, waits for it;
 * - `lost`: was open when the other end was lost: silent;
 * - `doubtful`: lost, and the client said something meanwhile: breaks when the other end is back, which knows nothing of it.
 */
type LinkState = 'open' | 'held' | 'lost' | 'doubtful';

interface Link {
  state: LinkState;
  readonly client: Socket;
  inner: Socket | undefined;
}

/** The TCP part: passes bytes from its own port to another, or does not. */
export interface Wire {
  readonly port: number;
  /** Accepted so far. */
  readonly accepted: number;
  readonly weather: Weather;
  /** @returns how many connections broke */
  reset(): number;
  /** @returns how many connections were lost */
  halfOpen(ms: number): number;
  close(): Promise<void>;
}

/** Passes everything that comes to a free port of 127.0.0.1 on to `target`, another port of it. */
export async function startWire(clock: Clock, target: number): Promise<Wire> {
  const links = new Set<Link>();
  const weather: Weather = { delay: 0, bytesPerSecond: undefined };
  const stop = new AbortController();
  let accepted = 0;
  let silentUntil = 0;

  const server = createServer({ noDelay: true }, (client) => {
    accepted++;
    const link: Link = { state: 'open', client, inner: undefined };
    links.add(link);
    client.on('error', () => {});
    client.once('close', () => {
      links.delete(link);
      link.inner?.destroy();
    });
    if (clock.monotonic() < silentUntil) void hold(link);
    else join(link);
  });

  /** @returns false when the wire is closed first */
  async function silenceEnds(): Promise<boolean> {
    try {
      while (clock.monotonic() < silentUntil) await sleep(clock, silentUntil - clock.monotonic(), stop.signal);
      return true;
    } catch {
      return false;
    }
  }

  async function hold(link: Link): Promise<void> {
    link.state = 'held';
    link.client.pause();
    if (!(await silenceEnds()) || link.client.destroyed) return;
    link.state = 'open';
    join(link);
  }

  /** When the silence is over. */
  async function wake(): Promise<void> {
    if (!(await silenceEnds())) return;
    for (const { state, client } of [...links]) if (state === 'doubtful') client.resetAndDestroy();
  }

  function join(link: Link): void {
    const { client } = link;
    const inner = connect({ port: target, host: '127.0.0.1', noDelay: true });
    link.inner = inner;
    inner.on('error', () => {});
    // a lost client is not told
    inner.once('close', () => link.state === 'open' && client.destroy());
    const up = new Pipe(clock, weather, client, inner, false);
    const down = new Pipe(clock, weather, inner, client, true);
    client.on('data', (chunk) => {
      if (link.state === 'open') up.push(chunk);
      else if (clock.monotonic() >= silentUntil) client.resetAndDestroy();
      else link.state = 'doubtful';
    });
    inner.on('data', (chunk) => link.state === 'open' && down.push(chunk));
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    port: portOf(server),
    get accepted() {
      return accepted;
    },
    weather,
    reset() {
      const broken = [...links];
      for (const { client } of broken) client.resetAndDestroy();
      return broken.length;
    },
    halfOpen(ms) {
      silentUntil = Math.max(silentUntil, clock.monotonic() + ms);
      const open = [...links].filter(({ state }) => state === 'open');
      for (const link of open) {
        link.state = 'lost';
        link.inner?.destroy();
      }
      void wake();
      return open.length;
    },
    async close() {
      stop.abort(new Error('the proxy was stopped'));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { client } of [...links]) client.destroy();
      await closed;
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
