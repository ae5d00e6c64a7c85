import type { AddressInfo, Server } from 'node:net';

/** The address cannot be listened on. The message says what to do. */
export class ListenError extends Error {
  readonly port: number;

  constructor(port: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ListenError';
    this.port = port;
  }
}

/** Starts listening; answers the port. @throws ListenError */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => reject(new ListenError(port, explain(error, port, host), { cause: error }));
    server.once('error', refuse);
    server.listen({ port, host }, () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function explain(error: Error & { code?: string }, port: number, host: string): string {
  const address = `${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${address} is in use by another process: stop it, or choose another port (0 picks a free one)`;
    case 'EACCES':
      return `this user may not listen on ${address}: choose a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: use 127.0.0.1`;
    default:
      return `cannot listen on ${address}: ${error.message}`;
  }
}
