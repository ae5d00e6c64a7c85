import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import type { Container } from '@coxswain/k8s';
import { systemClock } from '@coxswain/runtime/core';
import { dialTcp } from '../network/dial.ts';
import type { ProbeTarget } from './target.ts';

/** A container whose address is this machine's, for servers that tests start. */
export function localTarget(container: Partial<Container> = {}, more: Partial<ProbeTarget> = {}): ProbeTarget {
  return {
    pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'team', uid: 'u-1' } },
    container: { name: 'main', ...container },
    podAddress: '127.0.0.1',
    clock: systemClock,
    exec: async () => 0,
    dial: dialTcp,
    ...more,
  };
}

/** Listens on a free port while the test runs. */
export async function listen(
  server: Pick<Server, 'listen' | 'address' | 'close'>,
): Promise<{ readonly port: number } & AsyncDisposable> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A port where nobody listens. */
export async function closedPort(): Promise<number> {
  await using listening = await listen(createServer());
  return listening.port;
}
