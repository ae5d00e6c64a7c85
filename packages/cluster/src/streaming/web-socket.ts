import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import { opcodes, WebSocketError, WebSocketParser } from './web-socket-parser.ts';

/** A piece of a message, as it arrives: see {@link WebSocketParser}. */
export interface MessagePiece {
  readonly first: boolean;
  readonly last: boolean;
  readonly payload: Buffer;
}

/** Milliseconds for which a closed connection waits for the client to take the rest and leave. */
const closePatience = 10_000;

/** One WebSocket, server side (RFC 6455), after its handshake. */
export class WebSocket {
  readonly #stream: Duplex;
  readonly #clock: Clock;
  readonly #parser = new WebSocketParser();
  #drained: Promise<void> | undefined;
  #closing = false;

  constructor(stream: Duplex, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    // A connection that breaks is told by the end of `read`.
    stream.on('error', () => {});
  }

  /**
   * Reads until the client closes or is gone; pings are answered. What `take` answers is waited for before more is read, so a slow
   * consumer slows the client. Never rejects. After {@link close} what comes is dropped.
   */
  async read(take: (piece: MessagePiece) => Promise<void> | void): Promise<void> {
    try {
      for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) {
        if (await this.#handle(chunk as Buffer, take)) break;
      }
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

  /** Says goodbye after what was sent, and gives the client a moment to read it. */
  async close(code = 1000): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    const patience = this.#clock.after(closePatience, () => this.#stream.destroy());
    this.#stream.once('close', () => patience.cancel());
    if (this.#stream.destroyed) patience.cancel();
    await this.#write(opcodes.close, [payload]);
    this.#stream.end();
    // Unread bytes would turn the end into a reset, and the client would lose what it has not read yet.
    this.#stream.resume();
  }

  /** Answers whether the client said goodbye. */
  async #handle(chunk: Buffer, take: (piece: MessagePiece) => Promise<void> | void): Promise<boolean> {
    for (const event of this.#parser.push(chunk)) {
      if (event.kind === 'close') return true;
      if (this.#closing) continue;
      if (event.kind === 'data') await take(event);
      else if (event.kind === 'ping') await this.#write(opcodes.pong, [event.payload]);
    }
    return false;
  }

  #write(opcode: number, parts: readonly Buffer[]): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed || !stream.writable) return Promise.resolve();
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (stream.write(Buffer.concat([head(opcode, length), ...parts]))) return Promise.resolve();
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#drained = undefined;
        stream.off('drain', done).off('close', done);
        resolve();
      };
      stream.on('drain', done).on('close', done);
    });
    return this.#drained;
  }
}

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
