import type { Transport } from '@coxswain/runtime/client';
import type { Server } from './options.ts';

/** What differs between the servers. */
export interface Ground {
  readonly server: Server;
  /** A new connection, as an administrator or as the user named. */
  transport(user?: string): Promise<Transport>;
  kubeconfig(): string;
  /** False while the server itself has work to do. */
  readonly idle: boolean;
  compact(): Promise<void>;
  stop(): Promise<void>;
}
