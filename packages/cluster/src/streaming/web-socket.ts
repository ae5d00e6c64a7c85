import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import { opcodes, WebSocketError, WebSocketParser } from './web-socket-parser.ts';
import { Wire } from './wire.ts';

/** A piece of a message, as it arrives: see {@link WebSocketParser}. */
export interface MessagePiece {
  readonly first: boolean;
  readonly last: boolean;
  readonly payload: Buffer;
}

/** The sending side of a WebSocket, as a stream. */
export interface FramedTarget {
  readonly destroyed: boolean;
  write(bytes: Buffer): boolean;
  end(): void;
  destroy(): unknown;
  on(event: 'drain', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** One WebSocket, server side (RFC 6455), after its handshake. */
export class WebSocket {
  readonly #stream: Duplex;
  readonly #wire: Wire;
  readonly #parser = new WebSocketParser();
  #closing = false;

  constructor(stream: Duplex, clock: Clock) {
    this.#stream = stream;
    this.#wire = new Wire(stream, clock);
  }

  /**
   * Reads until the client closes or is gone; pings are answered. What `take` answers is waited for before more is read, so a slow
   * consumer slows the client. Never rejects. After {@link close} what comes is dropped.
   */
  async read(take: (piece: MessagePiece) => Promise<void> | undefined): Promise<void> {
    try {
      for await (const chunk of this.#wire.chunks()) if (await this.#handle(chunk, take)) break;
      await this.close();
    } catch (error) {
      await this.close(error instanceof WebSocketError ? error.code : 1011);
    }
  }

  /** Resolves when more can be sent without piling up. After the end of the connection it does nothing. */
  send(kind: 'text' | 'binary', ...parts: readonly Buffer[]): Promise<void> {
    if (this.#closing) return Promise.resolve();
    return this.#write(opcodes[kind], parts);
  }

  /** Says goodbye after what was sent; the client gets a moment to read it. */
  async close(code = 1000): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    const written = this.#write(opcodes.close, [payload]);
    this.#wire.end();
    await written;
  }

  /** For who frames messages themselves, with {@link messageHead}: their bytes go out as they are. Its end is {@link close}. */
  target(): FramedTarget {
    const stream = this.#stream;
    return {
      get destroyed() {
        return stream.destroyed || !stream.writable;
      },
      write: (bytes: Buffer) => stream.write(bytes),
      end: () => void this.close(),
      destroy: () => stream.destroy(),
      on: (event: 'drain', listener: () => void) => stream.on(event, listener),
      once: (event: 'close', listener: () => void) => stream.once(event, listener),
    };
  }

  /** Answers whether the client said goodbye. */
  async #handle(chunk: Buffer, take: (piece: MessagePiece) => Promise<void> | undefined): Promise<boolean> {
    for (const event of this.#parser.push(chunk)) {
      if (event.kind === 'close') return true;
      if (this.#closing) continue;
      if (event.kind === 'data') await this.#wire.taken(take(event));
      else if (event.kind === 'ping') await this.#write(opcodes.pong, [event.payload]);
    }
    return false;
  }

  #write(opcode: number, parts: readonly Buffer[]): Promise<void> {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return this.#wire.write(head(opcode, length), ...parts);
  }
}

/** The head of a message of one frame. */
export const messageHead = (kind: 'text' | 'binary', length: number): Buffer => head(opcodes[kind], length);

function head(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, length]);
  if (length < 65_536) return Buffer.from([first, 126, length >> 8, length & 0xff]);
  const bytes = Buffer.alloc(10);
  bytes[0] = first;
  bytes[1] = 127;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}
