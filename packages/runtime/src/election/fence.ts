import type { Client } from '../client/index.ts';
import type { Elector } from './elector.ts';
import { NotLeading } from './errors.ts';
import { guardedClient } from './guard.ts';

/**
 * A client that writes only while `elector` leads by its own clock. A write begun after the local deadline is refused
 * with {@link NotLeading} without being sent, one under way is aborted when leadership ends. Reads always pass.
 */
export function fenced(client: Client, elector: Elector): Client {
  return guardedClient(client, {
    read: () => undefined,
    write() {
      if (!elector.leads) throw new NotLeading(elector.name);
      return elector.signal;
    },
  });
}
