import type { ByteStream, Dial, StreamReader } from './stream.ts';

/** One end of a pair of streams, with the switches of a bad network. */
export interface TestStream extends ByteStream {
  /** What is written here arrives nowhere from now on, and nobody is told. */
  silence(): void;
}

class End implements TestStream {
  peer: End | undefined;
  #reader: StreamReader | undefined;
  #waiting: Uint8Array[] = [];
  #open = true;
  #silent = false;
  #peerGone = false;

  read(reader: StreamReader): void {
    this.#reader = reader;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) this.#take(bytes);
    if (this.#peerGone) this.#lose();
  }

  write(bytes: Uint8Array): void {
    const { peer } = this;
    if (this.#open && !this.#silent && peer) Promise.resolve().then(() => peer.#take(bytes));
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    const { peer } = this;
    if (!this.#silent && peer) Promise.resolve().then(() => peer.#lose());
  }

  silence(): void {
    this.#silent = true;
  }

  #take(bytes: Uint8Array): void {
    if (!this.#open) return;
    if (this.#reader) this.#reader.data(bytes);
    else this.#waiting.push(bytes);
  }

  #lose(): void {
    if (!this.#open) return;
    this.#peerGone = true;
    if (!this.#reader) return;
    this.#open = false;
    this.#reader.ended();
  }
}

/** Two ends of one connection within this process; bytes arrive by promises alone, so that virtual time waits for them. */
export function streamPair(): readonly [TestStream, TestStream] {
  const [a, b] = [new End(), new End()];
  a.peer = b;
  b.peer = a;
  return [a, b];
}

/** Servers by address, and every connection that was made. */
export class TestNetwork {
  readonly #servers = new Map<string, (stream: ByteStream) => void>();
  /** Addresses where connecting neither succeeds nor fails. */
  readonly blackholes = new Set<string>();
  /** Addresses in the order in which they were dialled. */
  readonly dialled: string[] = [];
  /** The server's ends of the connections, in the order in which they were made. */
  readonly streams: { readonly address: string; readonly stream: TestStream }[] = [];

  /** From now on connections to `address` are handed to `accept`. */
  listen(address: string, accept: (stream: ByteStream) => void): void {
    this.#servers.set(address, accept);
  }

  /** Nobody listens there any more; the connections that were made are cut. */
  stop(address: string): void {
    this.#servers.delete(address);
    for (const made of this.streams) if (made.address === address) made.stream.close();
  }

  readonly dial: Dial = async (address, signal) => {
    this.dialled.push(address);
    if (this.blackholes.has(address)) {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    }
    const accept = this.#servers.get(address);
    if (!accept) throw new Error(`connect ECONNREFUSED ${address}`);
    const [near, far] = streamPair();
    this.streams.push({ address, stream: far });
    accept(far);
    return near;
  };
}
