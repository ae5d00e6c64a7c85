import { createHash } from 'node:crypto';
import { ByteReader, ByteWriter, nullLength } from './bytes.ts';

/** Capabilities of MySQL's protocol; those of `server` are what the stand-in has. */
export const capability = {
  connectWithDb: 0x8,
  pluginAuth: 0x8_0000,
  connectAttributes: 0x10_0000,
  lengthOfAuth: 0x20_0000,
  /** Long passwords, found rows, long flags, 4.1, transactions, secure connection, and those above. */
  server: 0x1 | 0x2 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x8_0000 | 0x10_0000 | 0x20_0000,
} as const;

export const status = { inTransaction: 1, autocommit: 2 } as const;
export const plugin = 'mysql_native_password';
const charset = 45;

/** What the server says first. */
export interface Greeting {
  readonly version: string;
  readonly connectionId: number;
  /** 20 bytes without zeros. */
  readonly salt: Uint8Array;
}

export function encodeGreeting({ version, connectionId, salt }: Greeting): Buffer {
  return new ByteWriter()
    .uint(10, 1)
    .zeroEnded(version)
    .uint(connectionId, 4)
    .raw(salt.subarray(0, 8))
    .uint(0, 1)
    .uint(capability.server & 0xffff, 2)
    .uint(charset, 1)
    .uint(status.autocommit, 2)
    .uint(capability.server >>> 16, 2)
    .uint(salt.length + 1, 1)
    .raw(new Uint8Array(10))
    .raw(salt.subarray(8))
    .uint(0, 1)
    .zeroEnded(plugin).bytes;
}

export function decodeGreeting(bytes: Uint8Array): Greeting {
  const reader = new ByteReader(bytes);
  reader.uint(1);
  const version = reader.zeroEnded();
  const connectionId = reader.uint(4);
  const first = reader.take(8);
  reader.take(1 + 2 + 1 + 2 + 2 + 1 + 10);
  return { version, connectionId, salt: Buffer.concat([first, reader.take(12)]) };
}

/** What a client answers. */
export interface Login {
  readonly user: string;
  readonly auth: Uint8Array;
  readonly db: string;
  readonly plugin: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export function encodeLogin({ user, auth, db, attributes }: Login): Buffer {
  const pairs = new ByteWriter();
  for (const [key, value] of attributes) pairs.counted(key).counted(value);
  return new ByteWriter()
    .uint(capability.server, 4)
    .uint(0xff_ffff, 4)
    .uint(charset, 1)
    .raw(new Uint8Array(23))
    .zeroEnded(user)
    .counted(auth)
    .zeroEnded(db)
    .zeroEnded(plugin)
    .counted(pairs.bytes).bytes;
}

export function decodeLogin(bytes: Uint8Array): Login {
  const reader = new ByteReader(bytes);
  const can = reader.uint(4);
  reader.take(4 + 1 + 23);
  const user = reader.zeroEnded();
  const auth = can & capability.lengthOfAuth ? reader.counted() : reader.take(reader.uint(1));
  const db = can & capability.connectWithDb ? reader.zeroEnded() : '';
  const named = can & capability.pluginAuth ? reader.zeroEnded() : plugin;
  const attributes = new Map<string, string>();
  if (can & capability.connectAttributes) {
    const pairs = new ByteReader(reader.counted());
    while (!pairs.done) attributes.set(pairs.counted().toString(), pairs.counted().toString());
  }
  return { user, auth, db, plugin: named, attributes };
}

/** Asks a client that came with another plugin to answer by this one. */
export const encodeAuthSwitch = (salt: Uint8Array): Buffer =>
  new ByteWriter().uint(0xfe, 1).zeroEnded(plugin).raw(salt).uint(0, 1).bytes;

export const encodeOk = (flags: number, affected = 0): Buffer =>
  new ByteWriter().uint(0, 1).length(affected).length(0).uint(flags, 2).uint(0, 2).bytes;

export const encodeEnd = (flags: number): Buffer => new ByteWriter().uint(0xfe, 1).uint(0, 2).uint(flags, 2).bytes;

/** An error of a statement or a login. */
export class SqlError extends Error {
  readonly code: number;
  /** Five characters. */
  readonly sqlState: string;

  constructor(code: number, message: string, sqlState = 'HY000') {
    super(message);
    this.name = 'SqlError';
    this.code = code;
    this.sqlState = sqlState;
  }
}

export const encodeError = ({ code, sqlState, message }: SqlError): Buffer =>
  new ByteWriter()
    .uint(0xff, 1)
    .uint(code, 2)
    .raw(Buffer.from(`#${sqlState}${message}`)).bytes;

const textType = 0xfd;

function encodeColumn(name: string): Buffer {
  const writer = new ByteWriter().counted('def').counted('').counted('').counted('').counted(name).counted(name);
  return writer.uint(12, 1).uint(charset, 2).uint(1024, 4).uint(textType, 1).uint(0, 2).uint(0, 1).uint(0, 2).bytes;
}

/** A table of texts as packets. */
export function encodeRows(
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  flags: number,
): readonly Buffer[] {
  const encodeRow = (row: readonly (string | null)[]) => {
    const writer = new ByteWriter();
    for (const value of row)
      if (value === null) writer.uint(nullLength, 1);
      else writer.counted(value);
    return writer.bytes;
  };
  const count = new ByteWriter().length(columns.length).bytes;
  return [count, ...columns.map(encodeColumn), encodeEnd(flags), ...rows.map(encodeRow), encodeEnd(flags)];
}

const sha1 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** What proves the knowledge of a password, by MySQL's native method. Nothing for an empty one. */
export function prove(password: string, salt: Uint8Array): Buffer {
  if (password === '') return Buffer.alloc(0);
  const once = sha1(Buffer.from(password));
  const mask = sha1(salt, sha1(once));
  return Buffer.from(once.map((byte, index) => byte ^ (mask[index] ?? 0)));
}
