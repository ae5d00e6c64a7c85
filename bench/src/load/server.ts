import { Agent, type RequestOptions, request } from 'node:https';
import { cpuMs, memoryOf } from '../process.ts';

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
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
}

/** A client with keep-alive connections, the same for every server. */
export class LoadClient {
  readonly server: ServerUnderLoad;
  readonly #agent: Agent;

  constructor(server: ServerUnderLoad, connections: number) {
    this.server = server;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @throws Error when the server does not answer, or answers a failure that is not in `accepted` */
  async send(ask: Ask, accepted: readonly number[] = []): Promise<Answer> {
    const answer = await this.#exchange(ask);
    if (answer.status >= 400 && !accepted.includes(answer.status))
      throw new Error(`${ask.method} ${ask.path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    return answer;
  }

  /** Options of a request; `agent: false` gives it a connection of its own. */
  options(path: string, more: RequestOptions): RequestOptions {
    const { url, token, cert, key } = this.server;
    const { hostname, port } = new URL(url);
    return {
      hostname,
      port,
      path,
      agent: this.#agent,
      rejectUnauthorized: false,
      ...(cert && key ? { cert, key } : {}),
      ...more,
      headers: { 'User-Agent': 'bench/1', ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more.headers },
    };
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
    this.#agent.destroy();
  }

  #exchange({ method, path, body, contentType = 'application/json' }: Ask): Promise<Answer> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = bytes ? { 'Content-Type': contentType, 'Content-Length': bytes.length } : {};
    return new Promise((resolve, reject) => {
      const call = request(this.options(path, { method, headers }), (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
        response.once('error', reject);
      });
      call.once('error', reject);
      call.end(bytes);
    });
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
