import { keyString, type ObjectKey } from '../core/index.ts';
import type { ExternalSource, ExternalSourceContext } from './external-source.ts';

/** A source that the program itself feeds: from a server it runs, a message queue, another part of it. */
export interface ChannelSource {
  /** For `from`. Several controllers may take it; each gets every key. */
  readonly source: ExternalSource;
  /** Enqueues a key, as soon as there is a controller whose workers run. Until then a key waits once, however often it is pushed. */
  push(key: ObjectKey): void;
}

/** @param name in logs; default `channel` */
export function channelSource(name = 'channel'): ChannelSource {
  const takers = new Set<ExternalSourceContext>();
  const waiting = new Map<string, ObjectKey>();
  return {
    source: {
      name,
      start(context) {
        takers.add(context);
        context.signal.addEventListener('abort', () => takers.delete(context), { once: true });
        for (const key of waiting.values()) context.enqueue(key);
        waiting.clear();
        return { idle: true };
      },
    },
    push(key) {
      if (takers.size === 0) waiting.set(keyString(key), key);
      for (const taker of takers) taker.enqueue(key);
    },
  };
}
