import type { Transport, TransportRequest } from '@coxswain/runtime/client';

/** Where a process is cut off: before its n-th write reaches the server, or after, so that it never learns the answer. */
export interface Cut {
  /** Counted from 1. */
  readonly write: number;
  readonly when: 'before' | 'after';
}

/** What a process does through a transport until it is cut off. */
export interface CutTransport {
  readonly transport: Transport;
  /** Writes so far, the cut one included. */
  readonly writes: number;
  /** True from the cut on; every request fails then, as in a process that is gone. */
  readonly isCut: boolean;
}

/** A transport that ends at a cut; without one it only counts. Dry runs are no writes. */
export function cutTransport(transport: Transport, cut?: Cut): CutTransport {
  let [writes, isCut] = [0, false];
  const alive = () => {
    if (isCut) throw new Error('this process was cut off');
  };
  const isWrite = ({ method, query }: TransportRequest) => method !== 'GET' && query?.dryRun === undefined;
  return {
    transport: {
      async send(request) {
        alive();
        const last = isWrite(request) && ++writes === cut?.write;
        if (last) isCut = true;
        if (last && cut?.when === 'before') alive();
        const answer = await transport.send(request);
        if (last) alive();
        return answer;
      },
      async watch(request) {
        alive();
        return transport.watch(request);
      },
      close: () => transport.close(),
    },
    get writes() {
      return writes;
    },
    get isCut() {
      return isCut;
    },
  };
}
