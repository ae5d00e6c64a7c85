import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Joins a client with a server. The end of what the client sends is passed on, and the answer waited for; the end of what the server
 * sends is the end of both.
 */
export async function join(client: Duplex, server: Duplex, signal: AbortSignal): Promise<void> {
  const there = pipeline(client, server, { signal });
  // It fails with the way back, which tells.
  there.catch(() => {});
  try {
    await pipeline(server, client, { signal });
  } finally {
    server.destroy();
  }
}
