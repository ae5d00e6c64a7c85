import type { PacketStream } from '../wire/packets.ts';

/** A session at a compute node. */
export interface Session {
  readonly id: number;
  readonly account: string;
  readonly user: string;
  readonly fromProxy: boolean;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly packets: PacketStream;
  db: string;
  /** The statement that runs; empty while the session is idle. */
  info: string;
  inTransaction: boolean;
}

/** The sessions of a node. */
export class Sessions {
  readonly #open = new Map<number, Session>();

  get all(): readonly Session[] {
    return [...this.#open.values()];
  }

  get(id: number): Session | undefined {
    return this.#open.get(id);
  }

  /** Keeps a session until its connection ends. */
  add(session: Session): void {
    this.#open.set(session.id, session);
    session.packets.onClose(() => this.#open.delete(session.id));
  }

  close(): void {
    for (const { packets } of this.all) packets.close();
  }
}
