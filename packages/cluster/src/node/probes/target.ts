import type { Duplex } from 'node:stream';
import type { Pod } from '@coxswain/k8s';
import type { Clock } from '@coxswain/runtime/core';
import type { AnyContainer, RunningContainer } from '../runtime.ts';

/** The container that is asked, and the ways to reach it. */
export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly podAddress: string;
  readonly clock: Clock;
  readonly exec: RunningContainer['exec'];
  /** Connects with a port of the pod, or of `host` when a probe names another. Rejects with an Error in Go's words. */
  readonly dial: (host: string, port: number, signal: AbortSignal) => Promise<Duplex>;
}

/** A probe or hook that cannot be run as it is written. */
export class ProbeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProbeError';
  }
}

/** A port by number, or by the name that the container gives it. @throws ProbeError */
export function portNumber(port: number | string, container: AnyContainer): number {
  const number = typeof port === 'number' ? port : container.ports?.find(({ name }) => name === port)?.containerPort;
  if (number === undefined) throw new ProbeError(`port ${JSON.stringify(port)} not found`);
  if (number < 1 || number > 65_535) throw new ProbeError(`invalid port number: ${number}`);
  return number;
}

/** `host:port`, with brackets around an address of IPv6. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
