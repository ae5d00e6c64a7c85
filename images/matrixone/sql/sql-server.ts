import { randomBytes } from 'node:crypto';
import type { ByteStream } from '@coxswain/operator-matrixone/morpc';
import { messageOf } from '@coxswain/runtime/core';
import type { Surroundings } from '../nodes/surroundings.ts';
import type { ObjectStore } from '../storage/index.ts';
import { parseLoginName } from '../wire/login-name.ts';
import {
  decodeLogin,
  encodeAuthSwitch,
  encodeError,
  encodeGreeting,
  encodeOk,
  encodeRows,
  type Login,
  plugin,
  prove,
  SqlError,
  status,
} from '../wire/mysql.ts';
import { PacketStream } from '../wire/packets.ts';
import { proxySalt } from '../wire/proxy-attributes.ts';
import { type Session, Sessions } from './session.ts';
import type { Backend, StatementContext } from './statement.ts';
import { execute } from './statements.ts';
import { Users } from './users.ts';

/** The version a server says it is. */
export const serverVersion = '8.0.30-MatrixOne-v4.2.0';
const commands = { quit: 1, useDatabase: 2, query: 3, ping: 14, resetConnection: 31 } as const;

export interface SqlServerOptions {
  readonly nodeId: string;
  readonly surroundings: Surroundings;
  readonly backends: () => Promise<readonly Backend[]>;
  /** Where the cluster's data is. */
  readonly storage?: ObjectStore;
}

/** Bytes for a greeting: none is zero, which would end it. */
export const newSalt = (): Buffer => Buffer.from(randomBytes(20).map((byte) => (byte % 127) + 1));

/** MySQL's protocol as far as the stand-in has statements: logins, queries, pings. */
export class SqlServer {
  readonly sessions = new Sessions();
  readonly #options: SqlServerOptions;
  readonly #logins = new Set<PacketStream>();
  readonly #users = new Users();
  #lastId = 0;

  constructor(options: SqlServerOptions) {
    this.#options = options;
  }

  /** Serves a connection until either side ends it. */
  accept(stream: ByteStream): void {
    const packets = new PacketStream(stream);
    this.#logins.add(packets);
    packets.onClose(() => this.#logins.delete(packets));
    this.#serve(packets).catch((error) => {
      if (!packets.closed) this.#options.surroundings.logger.warn({ why: messageOf(error) }, 'a session broke');
      packets.close();
    });
  }

  close(): void {
    for (const packets of [...this.#logins]) packets.close();
  }

  async #serve(packets: PacketStream): Promise<void> {
    const id = ++this.#lastId;
    const salt = newSalt();
    packets.send(encodeGreeting({ version: serverVersion, connectionId: id, salt }));
    const login = decodeLogin(await packets.next());
    const given = login.attributes.get(proxySalt);
    const saltUsed = given === undefined ? salt : Buffer.from(given, 'hex');
    const auth = await this.#proofOf(packets, login, saltUsed);
    const { account, user } = parseLoginName(login.user);
    const password = this.#users.passwordOf(account, user);
    if (password === undefined || !prove(password, saltUsed).equals(auth)) {
      packets.send(encodeError(new SqlError(1045, `Access denied for user ${login.user}`, '28000')));
      packets.close();
      return;
    }
    const session: Session = {
      id,
      account,
      user,
      fromProxy: given !== undefined,
      start: this.#options.surroundings.clock.now(),
      packets,
      db: login.db,
      info: '',
      inTransaction: false,
    };
    this.sessions.add(session);
    packets.send(encodeOk(status.autocommit));
    await this.#loop(session);
  }

  async #proofOf(packets: PacketStream, login: Login, salt: Uint8Array): Promise<Uint8Array> {
    if (login.plugin === plugin) return login.auth;
    packets.send(encodeAuthSwitch(salt));
    return packets.next();
  }

  async #loop(session: Session): Promise<void> {
    const { packets } = session;
    const over = new AbortController();
    packets.onClose(() => over.abort(new Error('the session is over')));
    const { surroundings, ...options } = this.#options;
    const { clock, openStore } = surroundings;
    const [version, users] = [serverVersion, this.#users];
    const context = { ...options, clock, openStore, version, sessions: this.sessions, users, signal: over.signal };
    for (;;) {
      const packet = await packets.next();
      if (packet[0] === commands.quit) return packets.close();
      await this.#command(packet, session, context);
    }
  }

  async #command(packet: Buffer, session: Session, context: StatementContext): Promise<void> {
    const { packets } = session;
    const text = packet.toString('utf8', 1);
    try {
      switch (packet[0]) {
        case commands.query:
          return await this.#query(text, session, context);
        case commands.useDatabase:
          session.db = text;
          break;
        case commands.resetConnection:
          session.db = '';
          session.inTransaction = false;
          break;
        case commands.ping:
          break;
        default:
          throw new SqlError(20105, `not supported by the stand-in: command ${packet[0]}`);
      }
      packets.send(encodeOk(flagsOf(session)));
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      packets.send(encodeError(error));
    }
  }

  async #query(text: string, session: Session, context: StatementContext): Promise<void> {
    session.info = text;
    try {
      // Never answered, also when the fault is taken away later.
      if ((await this.#options.surroundings.faults.get('hang-queries')) !== undefined)
        await new Promise((_, reject) => context.signal.addEventListener('abort', reject, { once: true }));
      const result = await execute(text, session, context);
      const flags = flagsOf(session);
      session.packets.send(...(result ? encodeRows(result.columns, result.rows, flags) : [encodeOk(flags)]));
    } finally {
      session.info = '';
    }
  }
}

const flagsOf = ({ inTransaction }: Session) => status.autocommit | (inTransaction ? status.inTransaction : 0);
