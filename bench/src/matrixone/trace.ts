import { createWriteStream, type WriteStream } from 'node:fs';
import { createServer, type Server } from 'node:net';

/**
 * The requests of an operator, each a line of a file once it is answered: milliseconds since 1970, `METHOD PATH`, the answer's status, the body,
 * with tabs between. Watches and leases are left out.
 */
export class Trace implements AsyncDisposable {
  readonly #file: WriteStream;
  readonly #server: Server;

  private constructor(file: WriteStream, server: Server) {
    this.#file = file;
    this.#server = server;
  }

  static async start(path: string): Promise<Trace> {
    const file = createWriteStream(path);
    const server = createServer((socket) =>
      socket.on('data', (lines) => file.write(lines)).on('error', () => undefined),
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return new Trace(file, server);
  }

  /** What is loaded into the operator's process before it: undici says what it sends to whoever listens. */
  get nodeOptions(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return `--import=data:text/javascript,${encodeURIComponent(`
import { subscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
let out;
const left = /[?&]watch=|\\/leases/;
subscribe('undici:request:headers', ({ request: { method, path, body }, response }) => {
  if (left.test(path)) return;
  const text = typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body).toString() : '';
  out ??= connect(${port}, '127.0.0.1').unref();
  out.write([Date.now(), method + ' ' + path, response.statusCode, text].join('\\t') + '\\n');
});`)}`;
  }

  /** Says which step begins. */
  step(what: string): void {
    this.#file.write(`# ${what}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await new Promise<void>((resolve) => this.#file.end(resolve));
  }
}
