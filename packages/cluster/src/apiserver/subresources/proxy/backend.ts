import type { Duplex } from 'node:stream';

/** A server that a proxy leads to. */
export interface Backend {
  readonly scheme: 'http' | 'https';
  /** Address, and port when one was given; for headers and errors. */
  readonly host: string;
  /** Rejects with an Error whose message says why there is no connection. */
  connect(signal: AbortSignal): Promise<Duplex>;
}

/** `10.0.0.1:80`, `[::1]:80`, `10.0.0.1` */
export function hostText(address: string, port: string | number = ''): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return port === '' ? host : `${host}:${port}`;
}

const knownPorts: Readonly<Record<string, number>> = { http: 80, https: 443, '': 80 };

/** The number of a port that may be given by the name of a well-known service. @throws Error in Go's words */
export function portNumber(port: string, scheme: 'http' | 'https'): number {
  const number = /^\d+$/.test(port) ? Number(port) : port === '' && scheme === 'https' ? 443 : knownPorts[port];
  if (number === undefined) throw new Error(`dial tcp: lookup tcp/${port}: unknown port`);
  if (number > 65_535) throw new Error(`dial tcp: address ${port}: invalid port`);
  return number;
}
