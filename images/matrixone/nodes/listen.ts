import { type ByteStream, type Listening, listenTcp } from '@coxswain/operator-matrixone/morpc';
import { type Address, addressText } from '../config/keys.ts';
import type { Endpoint } from '../config/service-config.ts';
import { ServiceEnd } from './surroundings.ts';

/** A port of a service. */
export interface Port {
  /** `host:port` that others are told. */
  readonly address: string;
  close(): Promise<void>;
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

async function listenOn(
  { host, port }: Address,
  spread: number,
  accept: (stream: ByteStream) => void,
): Promise<Listening> {
  for (let next = port; ; next++) {
    try {
      return await listenTcp(host, next, accept);
    } catch (error) {
      if (isTaken(error) && next < port + spread) continue;
      const why = error instanceof Error ? error.message : String(error);
      throw new ServiceEnd(2, `cannot listen on ${host}:${next}: ${why}`);
    }
  }
}

/**
 * Listens where an endpoint says, on the next free port when that is taken and others are allowed.
 * @throws ServiceEnd
 */
export async function listen(
  { listen: at, advertise, spread }: Endpoint,
  ownAddress: string | undefined,
  accept: (stream: ByteStream) => void,
): Promise<Port> {
  const host = at.host === '0.0.0.0' && ownAddress !== undefined ? ownAddress : at.host;
  const listening = await listenOn({ host, port: at.port }, spread, accept);
  const bound = Number(listening.address.slice(listening.address.lastIndexOf(':') + 1));
  const told = advertise.port === 0 || at.port !== bound ? bound : advertise.port;
  return { address: addressText({ host: advertise.host, port: told }), close: () => listening.close() };
}
