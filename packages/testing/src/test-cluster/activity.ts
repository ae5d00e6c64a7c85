import type { Transport } from '@coxswain/runtime/client';

/** What passes through the transports of a world: enough to tell whether it is at rest. */
export interface Activity {
  /** Requests, watches aside, that have not been answered. */
  readonly inFlight: number;
  /** Writes sent so far. */
  readonly writes: number;
  /** The same transport, counted. */
  observe(transport: Transport): Transport;
}

/** Nothing has passed yet. */
export function newActivity(): Activity {
  const counts = { inFlight: 0, writes: 0 };
  return {
    get inFlight() {
      return counts.inFlight;
    },
    get writes() {
      return counts.writes;
    },
    observe: (transport) => ({
      async send(request) {
        counts.inFlight++;
        if (request.method !== 'GET') counts.writes++;
        try {
          return await transport.send(request);
        } finally {
          counts.inFlight--;
        }
      },
      watch: (request) => transport.watch(request),
      close: () => transport.close(),
    }),
  };
}
