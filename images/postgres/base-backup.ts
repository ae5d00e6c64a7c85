import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Client, type Connection, type Submittable } from 'pg';

/** What a server says during a base backup: each message begins with a letter for what follows (PostgreSQL protocol, streaming replication). */
const kinds = { archive: 'n', data: 'd' } as const;

const request = "BASE_BACKUP (LABEL 'coxswain', CHECKPOINT 'fast', WAL true, MANIFEST 'no', WAIT true)";

/** Asks for a base backup and hands its bytes on as they come. */
class BaseBackup implements Submittable {
  readonly done: Promise<void>;
  readonly #target: Writable;
  readonly #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void };
  #archives = 0;
  #failure: Error | undefined;
  #connection: Connection | undefined;

  constructor(target: Writable) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#target = target;
    this.done = promise;
    this.#settle = { resolve, reject };
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    connection.query(request);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const kind = String.fromCharCode(chunk[0] ?? 0);
    // The cluster's own files come as the first archive; others would be table spaces.
    if (kind === kinds.archive) this.#archives++;
    if (kind !== kinds.data || this.#archives !== 1) return;
    // The client uses the bytes' memory again for what comes next.
    if (this.#target.write(Buffer.from(chunk.subarray(1)))) return;
    const stream = this.#connection?.stream.pause();
    this.#target.once('drain', () => stream?.resume());
  }

  handleError(error: Error): void {
    this.#failure = error;
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#archives > 1) this.#settle.reject(new Error('the primary has table spaces, which are not copied'));
    else if (!this.#failure) this.#settle.resolve();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleCopyInResponse(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/**
 * Copies a running server's files, with the log that makes them consistent, as pg_basebackup does.
 * @param folder exists and is empty
 * @throws Error when the server cannot be reached within ten seconds, or the copy breaks off
 */
export async function baseBackup(
  from: { readonly host: string; readonly user: string },
  folder: string,
): Promise<void> {
  const client = new Client({ ...from, port: 5432, replication: 'true', connectionTimeoutMillis: 10_000 } as object);
  await client.connect();
  // A connection that breaks is told by the query; unheard, the event would end the process.
  client.on('error', () => {});
  const tar = spawn('tar', ['-x', '-f', '-', '-C', folder], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(tar, 'exit');
  const written = finished(tar.stdin);
  try {
    const backup = client.query(new BaseBackup(tar.stdin));
    await Promise.race([backup.done, written]);
    tar.stdin.end();
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`tar ended with ${code} while it unpacked the copy of ${from.host}`);
  } finally {
    tar.kill();
    await client.end();
  }
}
