import { messageOf, sleep, systemClock } from '@coxswain/runtime/core';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';

/** What a client does again and again: single statements, or transactions that take a while. */
export type Habit = 'statements' | 'transactions';

const connect = (host: string) => createConnection({ host, port: 6001, user: 'root', password: '111' });

async function nodeOf(connection: Connection): Promise<string> {
  const [rows] = await connection.query<RowDataPacket[]>('show processlist');
  return String(rows[0]?.['node_id']);
}

/** The compute node that a new session goes to. @param host where the proxy is */
export async function nextNode(host: string): Promise<string> {
  const connection = await connect(host);
  try {
    return await nodeOf(connection);
  } finally {
    connection.destroy();
  }
}

/** A client of MatrixOne that never stops talking. */
class Session {
  readonly connection: Connection;
  readonly #habit: Habit;
  #going = true;
  readonly done: Promise<void>;
  /** Compute nodes that served it, in the order in which they did. */
  readonly nodes: string[];
  statements = 0;
  /** Why it ended before it was told to. */
  problem: string | undefined;

  constructor(connection: Connection, habit: Habit, node: string) {
    this.connection = connection;
    this.#habit = habit;
    this.nodes = [node];
    this.done = this.#run();
  }

  stop(): void {
    this.#going = false;
  }

  async #run(): Promise<void> {
    try {
      while (this.#going) {
        if (this.#habit === 'transactions') await this.#transaction();
        else await this.#where();
        await sleep(systemClock, 40);
      }
    } catch (error) {
      this.problem = messageOf(error);
    }
  }

  /** A transaction must be answered by one node from its beginning to its end. */
  async #transaction(): Promise<void> {
    await this.connection.query('begin');
    const before = await this.#where();
    await sleep(systemClock, 700);
    const after = await this.#where();
    await this.connection.query('commit');
    if (before !== after) throw new Error(`a transaction went from ${before} to ${after}`);
  }

  /** Asks for the node that serves this session now. */
  async #where(): Promise<string> {
    const node = await nodeOf(this.connection);
    this.statements++;
    if (this.nodes.at(-1) !== node) this.nodes.push(node);
    return node;
  }
}

/** Sessions that are held open through whatever happens, to see that none is cut. */
export class Sessions implements AsyncDisposable {
  readonly #host: string;
  readonly #sessions: Session[] = [];

  private constructor(host: string) {
    this.#host = host;
  }

  /** @param host where the proxy is @param pairs one of each habit */
  static async open(host: string, pairs: number): Promise<Sessions> {
    const sessions = new Sessions(host);
    await sessions.more(pairs);
    return sessions;
  }

  async more(pairs: number): Promise<void> {
    for (let pair = 0; pair < pairs; pair++)
      for (const habit of ['statements', 'transactions'] as const) {
        const connection = await connect(this.#host);
        this.#sessions.push(new Session(connection, habit, await nodeOf(connection)));
      }
  }

  /** Those that were cut, or refused a statement, and why; empty when all is well. */
  get problems(): readonly string[] {
    return this.#sessions.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  }

  /** How many were answered. */
  get statements(): number {
    return this.#sessions.reduce((sum, { statements }) => sum + statements, 0);
  }

  /** Nodes that serve a session now. */
  get nodes(): ReadonlySet<string> {
    return new Set(this.#sessions.flatMap(({ nodes }) => nodes.at(-1) ?? []));
  }

  /** How often a session went from one node to another. */
  get moves(): number {
    return this.#sessions.reduce((sum, { nodes }) => sum + nodes.length - 1, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) session.stop();
    await Promise.all(this.#sessions.map(({ done }) => done));
    for (const { connection } of this.#sessions) connection.destroy();
  }
}

/** A session that a test talks through itself. */
export class Talk implements AsyncDisposable {
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @param host where the proxy is */
  static async open(host: string): Promise<Talk> {
    return new Talk(await connect(host));
  }

  /** Rows of a statement; none for one that has no table. */
  async run(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const [rows] = await this.#connection.query<RowDataPacket[]>(text);
    return Array.isArray(rows) ? rows.map((row) => ({ ...row })) : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.destroy();
  }
}
