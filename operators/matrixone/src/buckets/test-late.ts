import type { Transport, TransportRequest, WatchEvent } from '@coxswain/runtime/client';
import { type Clock, sleep } from '@coxswain/runtime/core';

/** Requests wait, before they are sent, as long as `holds` says so. */
export function holding(inner: Transport, clock: Clock, holds: (request: TransportRequest) => boolean): Transport {
  return {
    async send(request) {
      while (holds(request)) await sleep(clock, 100, request.signal);
      return inner.send(request);
    },
    watch: (request) => inner.watch(request),
    close: () => inner.close(),
  };
}

/** News of claims come `ms` late, from when `isLate` says so. */
export function lateClaims(inner: Transport, clock: Clock, ms: number, isLate: () => boolean): Transport {
  async function* late(news: AsyncIterable<readonly WatchEvent[]>) {
    for await (const events of news) {
      if (isLate()) await sleep(clock, ms);
      yield events;
    }
  }
  return {
    send: (request) => inner.send(request),
    async watch(request) {
      const news = await inner.watch(request);
      return request.path.endsWith('/bucketclaims') ? late(news) : news;
    },
    close: () => inner.close(),
  };
}
