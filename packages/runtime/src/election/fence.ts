import type { Client } from '../client/index.ts';
import { ApiError } from '../core/index.ts';
import { NotLeading } from './errors.ts';
import { guardedClient } from './guard.ts';
import type { Elector } from './types.ts';

/**
 * A client that writes only while `elector` leads by its own clock. A write begun after the local deadline is refused
 * with {@link NotLeading} without being sent, and so is each further try of one that the server put off; one under way is
 * aborted when leadership ends. Reads always pass.
 */
export function fenced(client: Client, elector: Elector): Client {
  const gate = () => {
    if (!elector.leads) throw new NotLeading(elector.name);
  };
  return guardedClient(client, {
    read: () => undefined,
    write() {
      gate();
      return elector.signal;
    },
    gate,
    track() {
      const ended = elector.writing();
      return ({ ok, error }) => ended(ok || isFinal(error));
    },
  });
}

/** Whether the server has answered, and is done with the request: one that it gave up itself may still take effect. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 504;
}
