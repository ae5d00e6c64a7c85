import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** An answer as it came. `body` is the bytes after the head, chunk marks included where the server sent chunks. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

/** A TLS connection for one request after the other, with next to no work of its own: what is measured is the server. */
export class Connection {
  readonly #socket: TLSSocket;
  #received: Buffer[] = [];
  #size = 0;
  /** Bytes of the answer that is coming in, once its head has told. */
  #wanted: number | undefined;
  #chunked = false;
  #waiting: { resolve(answer: RawAnswer): void; reject(error: Error): void } | undefined;

  constructor(options: ConnectionOptions) {
    this.#socket = connect({ ...options, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed a connection in use')));
  }

  /** Sends a whole request. One at a time. */
  ask(request: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    if (this.#wanted === undefined && !this.#chunked) this.#readHead();
    const whole = this.#chunked ? this.#ended() : this.#wanted !== undefined && this.#size >= this.#wanted;
    if (whole) this.#answer();
  }

  #ended(): boolean {
    const [before, last] = [this.#received.at(-2), this.#received.at(-1)];
    if (!last) return false;
    const tail = last.length < lastChunk.length && before ? Buffer.concat([before.subarray(-8), last]) : last;
    return tail.subarray(-lastChunk.length).equals(lastChunk);
  }

  #readHead(): void {
    const [first] = this.#received;
    const bytes = this.#received.length === 1 && first ? first : Buffer.concat(this.#received);
    const end = bytes.indexOf(headEnd);
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end));
    if (length) this.#wanted = end + headEnd.length + Number(length[1]);
    else this.#chunked = true;
  }

  #answer(): void {
    const [first] = this.#received;
    const bytes = this.#received.length === 1 && first ? first : Buffer.concat(this.#received);
    this.#received = [];
    this.#size = 0;
    this.#wanted = undefined;
    this.#chunked = false;
    const end = bytes.indexOf(headEnd);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({
      status: Number(bytes.toString('latin1', 9, 12)),
      head: bytes.toString('latin1', 0, end),
      body: bytes.subarray(end + headEnd.length),
    });
  }
}
