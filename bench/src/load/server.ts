import type { ConnectionOptions } from 'node:tls';
import { cpuMs, memoryOf } from '../process.ts';
import { Connection } from './connection.ts';

/** A server under load, and who asks it. */
export interface ServerUnderLoad {
  readonly url: string;
  /** Its processes: their CPU time and memory are the server's. */
  readonly pids: readonly number[];
  readonly token?: string;
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Ask {
  readonly method: string;
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** Default `application/json`. */
  readonly contentType?: string;
}

/** A client with keep-alive connections, the same for every server. Requests wait for a free one. */
export class LoadClient {
  readonly server: ServerUnderLoad;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #limit: number;
  readonly #fields: string;
  readonly #waiting: ((connection: Connection) => void)[] = [];

  constructor(server: ServerUnderLoad, connections: number) {
    this.server = server;
    this.#limit = connections;
    const { host } = new URL(server.url);
    const authorization = server.token ? `Authorization: Bearer ${server.token}\r\n` : '';
    this.#fields = `Host: ${host}\r\nUser-Agent: bench/1\r\nAccept: application/json\r\n${authorization}`;
  }

  /** @throws Error when the server does not answer, or answers a failure that is not in `accepted` */
  async send(ask: Ask, accepted: readonly number[] = []): Promise<Answer> {
    const { status, text } = await this.ask(ask);
    if (status >= 400 && !accepted.includes(status))
      throw new Error(`${ask.method} ${ask.path} answered ${status}: ${text().slice(0, 500)}`);
    return { status, text: text() };
  }

  /** Like `send`, leaving the body as it is until somebody asks for it. */
  async ask(ask: Ask): Promise<{ readonly status: number; readonly text: () => string }> {
    const connection = this.#idle.pop() ?? (await this.#next());
    const { status, body } = await connection.ask(this.request(ask));
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
    return { status, text: () => body.toString() };
  }

  /** A whole request as bytes. */
  request({ method, path, body, contentType = 'application/json' }: Ask): Buffer {
    const content =
      body === undefined ? '' : `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${this.#fields}${content}\r\n${body ?? ''}`);
  }

  /** How a connection to the server is made. */
  address(): ConnectionOptions {
    const { url, cert, key } = this.server;
    const { hostname, port } = new URL(url);
    return { host: hostname, port: Number(port), ...(cert && key ? { cert, key } : {}) };
  }

  /** CPU milliseconds the server has used. */
  async cpu(): Promise<number> {
    return sum(await Promise.all(this.server.pids.map(cpuMs)));
  }

  /** Resident memory in MiB. */
  async memory(): Promise<number> {
    return sum((await Promise.all(this.server.pids.map(memoryOf))).map(({ resident }) => resident));
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #next(): Connection | Promise<Connection> {
    if (this.#all.length >= this.#limit) return new Promise((resolve) => this.#waiting.push(resolve));
    const connection = new Connection(this.address());
    this.#all.push(connection);
    return connection;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
