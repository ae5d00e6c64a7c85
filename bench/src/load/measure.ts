import type { Ask, LoadClient } from './server.ts';

/** What a kind of request costs. */
export interface Cost {
  /** Per second, as the client saw it: the machine's pace is in it. */
  readonly rate: number;
  /** CPU of the server for one, in microseconds. */
  readonly micros: number;
}

/** How many requests are under way at a time. */
export const hands = 32;

async function run(client: LoadClient, more: () => boolean, ask: (turn: number) => Ask): Promise<number> {
  let turn = 0;
  const hand = async () => {
    while (more()) {
      const wanted = ask(turn++);
      const { status, text } = await client.ask(wanted);
      if (status >= 400) throw new Error(`${wanted.method} ${wanted.path} answered ${status}: ${text().slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: hands }, hand));
  return turn;
}

/** Sends requests for `seconds`, after a fifth of that for warming up. */
export async function measure(client: LoadClient, seconds: number, ask: (turn: number) => Ask): Promise<Cost> {
  const until = (end: number) => () => performance.now() < end;
  const warm = await run(client, until(performance.now() + seconds * 200), ask);
  const [cpu, since] = [await client.cpu(), performance.now()];
  const count = await run(client, until(since + seconds * 1000), (turn) => ask(warm + turn));
  const [used, took] = [(await client.cpu()) - cpu, performance.now() - since];
  return { rate: (count * 1000) / took, micros: (used * 1000) / count };
}

/** Sends `count` requests. */
export async function repeat(client: LoadClient, count: number, ask: (turn: number) => Ask): Promise<void> {
  let left = count;
  await run(client, () => left-- > 0, ask);
}
