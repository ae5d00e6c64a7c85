import {
  type Clock,
  checkNumber,
  messageOf,
  someMilliseconds,
  TimeoutError,
  withTimeout,
} from '@coxswain/runtime/core';
import type { Connection } from 'mysql2/promise';
import { SqlError } from './errors.ts';
import type { SqlRow, SqlService, SqlStatement, SqlTarget } from './service.ts';

export interface MysqlServiceOptions {
  readonly clock: Clock;
  /** Milliseconds to connect, and for each statement. Default 10 s. */
  readonly timeout?: number;
}

/** SQL through mysql2, which is loaded with the first statement. */
export function mysqlService({ clock, timeout = 10_000 }: MysqlServiceOptions): SqlService {
  checkNumber('mysqlService', 'timeout', timeout, someMilliseconds);
  return {
    async run(target, statements, signal) {
      const session = new Session(target, clock, timeout, signal);
      try {
        await session.connect();
        const answers: (readonly SqlRow[])[] = [];
        for (const statement of statements) answers.push(await session.run(statement));
        return answers;
      } finally {
        session.end();
      }
    },
  };
}

class Session {
  readonly #target: SqlTarget;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #signal: AbortSignal;
  #connection: Connection | undefined;

  constructor(target: SqlTarget, clock: Clock, timeout: number, signal: AbortSignal) {
    this.#target = target;
    this.#clock = clock;
    this.#timeout = timeout;
    this.#signal = signal;
  }

  async connect(): Promise<void> {
    const { host, port, credential } = this.#target;
    const options = {
      host,
      port,
      ...credential,
      connectTimeout: this.#timeout,
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
    };
    await this.#within('connect', [], async (signal) => {
      const { createConnection } = await import('mysql2/promise');
      const connection = await createConnection(options);
      // Nobody waits for it any more.
      if (signal.aborted) return connection.destroy();
      // Told when a connection breaks while nothing runs; unheard it would end the process.
      connection.on('error', () => {});
      this.#connection = connection;
    });
  }

  run({ text, values = [] }: SqlStatement): Promise<readonly SqlRow[]> {
    const secrets = values.filter((value) => typeof value === 'string');
    return this.#within(verbOf(text), secrets, async () => {
      const answer = await this.#connection?.query(text, [...values]);
      const rows = answer?.[0];
      return Array.isArray(rows) ? (rows as readonly SqlRow[]) : [];
    });
  }

  /** At once, as a server that hangs would not answer a good-bye. */
  end(): void {
    this.#connection?.destroy();
  }

  async #within<T>(what: string, secrets: readonly string[], work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { host, port, credential } = this.#target;
    try {
      return await withTimeout(this.#clock, this.#timeout, what, work, this.#signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      const why = hidden(error instanceof TimeoutError ? error.message : `${what}: ${messageOf(error)}`, [
        ...secrets,
        credential.password,
      ]);
      throw new SqlError(`${host}:${port}`, why, codeOf(error));
    }
  }
}

/** What a statement is, without what is in it. */
const verbOf = (text: string) => text.trim().split(/\s+/, 2).join(' ').toUpperCase();

/** Servers repeat parts of statements in what they say of them. */
function hidden(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== '').reduce((before, secret) => before.replaceAll(secret, '***'), text);
}

function codeOf(error: unknown): number | undefined {
  const { errno } = error as { readonly errno?: unknown };
  // The system's own are negative.
  return typeof errno === 'number' && errno > 0 ? errno : undefined;
}
