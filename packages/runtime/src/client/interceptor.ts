import type { Transport, TransportRequest, TransportResponse, WatchEvent } from './transport.ts';

type WatchStream = AsyncIterable<readonly WatchEvent[]>;

/**
 * Stands around every try of every call of a client, retries included (`request.attempt` counts them): to trace, measure,
 * record, change or break it. Each function asks `next` for what would happen without it, with the same request or another,
 * and answers that or something else; what it throws is what the client gets. What is left out lets calls through.
 */
export interface Interceptor {
  send?(
    request: TransportRequest,
    next: (request: TransportRequest) => Promise<TransportResponse>,
  ): Promise<TransportResponse>;
  /** The opening of a watch, or of a list that is handed on while it arrives. The stream it answers may be wrapped too. */
  watch?(request: TransportRequest, next: (request: TransportRequest) => Promise<WatchStream>): Promise<WatchStream>;
}

/** A transport with interceptors around it, the first outermost. */
export function interceptedTransport(transport: Transport, interceptors: readonly Interceptor[]): Transport {
  return interceptors.reduceRight<Transport>((inner, interceptor) => intercepted(inner, interceptor), transport);
}

function intercepted(inner: Transport, interceptor: Interceptor): Transport {
  const send = (request: TransportRequest) => inner.send(request);
  const watch = (request: TransportRequest) => inner.watch(request);
  const { list } = inner;
  return {
    send: async (request) => (interceptor.send ? interceptor.send(request, send) : send(request)),
    watch: async (request) => (interceptor.watch ? interceptor.watch(request, watch) : watch(request)),
    ...(list
      ? { list: async (request) => (interceptor.watch ? interceptor.watch(request, list) : list(request)) }
      : {}),
    close: () => inner.close(),
  };
}
