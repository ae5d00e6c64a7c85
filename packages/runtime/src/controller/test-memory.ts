// A program for memory.test.ts: the heap that keys leave behind in a controller and its queue, in a process of its own whose
// garbage can be collected. Prints bytes a key.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient, listEnd, type Transport, type WatchEvent } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { Part, Widget } from '../manager/test-kinds.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** One watch whose events come from here; nothing is kept of them. */
class Feed implements Transport {
  #wake = Promise.withResolvers<readonly WatchEvent[]>();

  tell(events: readonly WatchEvent[]): void {
    const wake = this.#wake;
    this.#wake = Promise.withResolvers();
    wake.resolve(events);
  }

  async send(): Promise<never> {
    throw new Error('only watches are served');
  }

  async watch({ path, signal }: Parameters<Transport['watch']>[0]): Promise<AsyncIterable<readonly WatchEvent[]>> {
    const ended = new Promise<readonly WatchEvent[]>((resolve) => {
      signal?.addEventListener('abort', () => resolve([]), { once: true });
    });
    const next = () => (path.endsWith('/widgets') ? this.#wake.promise : ended);
    async function* stream() {
      yield [listEnd('1')];
      while (!signal?.aborted) yield await Promise.race([next(), ended]);
    }
    return stream();
  }

  async close(): Promise<void> {}
}

const clock = new VirtualClock();
const feed = new Feed();
const manager = createManager({
  client: createClient({ transport: feed, clock }),
  name: 'test',
  clock,
  random: seededRandom(1),
});
let runs = 0;
manager
  .controller(Widget)
  .owns(Part)
  .run({
    async reconcile({ key, cache }) {
      runs++;
      if (!cache.store(Widget).get(key)) return undefined;
      if (runs % 3 === 0) throw new Error('odd spec');
      return runs % 3 === 1 ? { requeueAfter: 60_000 } : undefined;
    },
  });
await manager.start();

let version = 1;
/** Long names: whatever keeps a key shows, beside what the program itself frees in time. */
const padding = 'x'.repeat(200);
const change = (type: 'ADDED' | 'DELETED', i: number): WatchEvent => ({
  type,
  object: {
    metadata: { name: `w${i}${padding}`, namespace: `n${i % 100}`, uid: `u${i}`, resourceVersion: String(++version) },
  },
});

async function comeAndGo(from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 5_000) {
    const batch = Array.from({ length: 5_000 }, (_, n) => at + n);
    for (const type of ['ADDED', 'DELETED'] as const) {
      feed.tell(batch.map((i) => change(type, i)));
      await clock.settle();
    }
  }
  await clock.advance(600_000);
}

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

const count = 100_000;
await comeAndGo(0, 10_000);
const before = heap();
const ranBefore = runs;
await comeAndGo(10_000, 10_000 + count);
const after = heap();
const complete = manager.idle && runs - ranBefore >= 2 * count;
await manager.stop();
process.stdout.write(JSON.stringify({ left: complete ? (after - before) / count : `${runs - ranBefore} runs` }));
