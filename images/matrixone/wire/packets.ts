import type { ByteStream } from '@coxswain/operator-matrixone/morpc';

/** A packet longer than this would be in several; nothing here is. */
const longest = 0xff_ffff;

/** A MySQL connection: packets in and out, with their numbers. */
export class PacketStream {
  readonly #stream: ByteStream;
  readonly #closeListeners: (() => void)[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #next = 0;
  #reader: PromiseWithResolvers<Buffer> | undefined;
  #waiting: Buffer[] = [];
  #closed = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
    stream.read({ data: (bytes) => this.#take(bytes), ended: () => this.#end() });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Called once, when either side has ended it. */
  onClose(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closeListeners.push(listener);
  }

  /** The next packet; one is waited for at a time. Rejects when the connection ends before. */
  next(): Promise<Buffer> {
    const waiting = this.#waiting.shift();
    if (waiting) return Promise.resolve(waiting);
    if (this.#closed) return Promise.reject(new Error('the connection ended'));
    this.#reader = Promise.withResolvers<Buffer>();
    return this.#reader.promise;
  }

  /** The next packet sent is the first of a command. */
  beginCommand(): void {
    this.#next = 0;
  }

  send(...packets: readonly Uint8Array[]): void {
    const parts = packets.map((packet) => {
      const header = Buffer.alloc(4);
      header.writeUIntLE(packet.length, 0, 3);
      header.writeUInt8(this.#next, 3);
      this.#next = (this.#next + 1) % 256;
      return Buffer.concat([header, packet]);
    });
    this.#stream.write(Buffer.concat(parts));
  }

  close(): void {
    this.#stream.close();
    this.#end();
  }

  #take(bytes: Uint8Array): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    while (this.#buffer.length >= 4) {
      const size = this.#buffer.readUIntLE(0, 3);
      if (size === longest) this.close();
      if (this.#closed) return;
      if (this.#buffer.length < size + 4) return;
      this.#next = (this.#buffer.readUInt8(3) + 1) % 256;
      const packet = Buffer.from(this.#buffer.subarray(4, size + 4));
      this.#buffer = this.#buffer.subarray(size + 4);
      const reader = this.#reader;
      this.#reader = undefined;
      if (reader) reader.resolve(packet);
      else this.#waiting.push(packet);
    }
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader?.reject(new Error('the connection ended'));
    for (const listener of this.#closeListeners.splice(0)) listener();
  }
}
