import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import { Channel } from '../channel.ts';
import { Wire } from '../wire.ts';
import {
  controlFrame,
  dataFrame,
  frameTypes,
  resetCodes,
  SpdyError,
  type SpdyFrame,
  SpdyParser,
  words,
} from './frames.ts';
import { emptyBlock, HeaderReader } from './headers.ts';

/** A stream that the client opened. */
export interface SpdyStream {
  readonly id: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly channel: Channel;
}

interface OpenStream extends SpdyStream {
  /** How many bytes the client is ready to take. */
  window: number;
  /** Bytes the reader took that the client was not told of yet. */
  taken: number;
  remoteDone: boolean;
  localDone: boolean;
}

/** Streams a client may have open at a time. */
const streamLimit = 1024;
/** SPDY/3.1 §2.6.8. */
const defaultWindow = 64 * 1024;
/** The window opens again when this much was taken. */
const updateAfter = defaultWindow / 2;
const initialWindowSetting = 7;
const fin = 1;
const unidirectional = 2;

/** One connection of SPDY/3.1, server side: streams that the client opens. */
export class SpdyConnection {
  readonly #wire: Wire;
  readonly #accept: (stream: SpdyStream) => boolean;
  readonly #parser = new SpdyParser();
  readonly #headers = new HeaderReader();
  readonly #open = new Map<number, OpenStream>();
  /**
   * The client has shown that it keeps windows. Kubernetes' Go clients do not and never open one again: until a client proves to be
   * another kind, the connection's own back-pressure is all there is.
   */
  #keepsWindows = false;
  #window = defaultWindow;
  #initialWindow = defaultWindow;
  #windowChanged: PromiseWithResolvers<void> | undefined;
  #taken = 0;
  #lastStream = 0;
  #replied = false;
  #closing = false;

  /** @param accept told of each stream before its reply; `false` resets it */
  constructor(stream: Duplex, clock: Clock, accept: (stream: SpdyStream) => boolean) {
    this.#wire = new Wire(stream, clock);
    this.#accept = accept;
  }

  /** Reads until the client is gone; then all streams end. After {@link close} what comes is dropped. Never rejects. */
  async run(): Promise<void> {
    try {
      for await (const chunk of this.#wire.chunks()) if (await this.#take(chunk)) break;
    } catch {
      // A client that breaks the protocol, or off. Either way there is nothing more to say to it.
    }
    this.#headers.close();
    for (const { channel } of this.#open.values()) channel.finish();
    this.close();
  }

  /** Says goodbye after what was sent; the client gets a moment to read it. Streams that are still open end. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    void this.#wire.write(controlFrame(frameTypes.goAway, words(this.#lastStream, 0)));
    this.#wire.end();
    this.#wakeWriters();
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { channel } of open) channel.finish();
  }

  /** Ends both directions of a stream at once. */
  reset(stream: SpdyStream, code: number = resetCodes.cancel): void {
    this.#forget(stream.id);
    void this.#refuse(stream.id, code);
    stream.channel.destroy();
  }

  /** Answers whether the client said goodbye. */
  async #take(chunk: Buffer): Promise<boolean> {
    if (this.#closing) return false;
    for (const frame of this.#parser.push(chunk)) {
      if (frame.kind === 'control' && frame.type === frameTypes.goAway) return true;
      await this.#handle(frame);
    }
    return false;
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    if (frame.kind === 'data') return this.#data(frame);
    const { type, body } = frame;
    switch (type) {
      case frameTypes.synStream:
        return this.#synStream(frame);
      case frameTypes.headers:
      case frameTypes.synReply:
        // Nothing in them is of use, but the next block is compressed after this one.
        await this.#headers.read(body.subarray(4));
        return;
      case frameTypes.rstStream:
        return this.#reset(body);
      case frameTypes.ping:
        // An answer to a ping of ours has an even number; there are none.
        if (number(body, 0) % 2 === 1) await this.#wire.write(controlFrame(frameTypes.ping, body.subarray(0, 4)));
        return;
      case frameTypes.windowUpdate:
        return this.#windowUpdate(number(body, 0), number(body, 4));
      case frameTypes.settings:
        return this.#settings(body);
      default:
        // Types that are not known are passed over (§2.2.1).
        return;
    }
  }

  async #synStream({ flags, body }: Extract<SpdyFrame, { kind: 'control' }>): Promise<void> {
    const id = number(body, 0);
    const headers = await this.#headers.read(body.subarray(10));
    if (id % 2 === 0 || id <= this.#lastStream) return this.#refuse(id, resetCodes.protocolError);
    this.#lastStream = id;
    if (this.#open.size >= streamLimit) return this.#refuse(id, resetCodes.refused);
    const stream = this.#newStream(id, headers, (flags & unidirectional) !== 0);
    this.#open.set(id, stream);
    if (!this.#accept(stream)) return this.reset(stream);
    const reply = controlFrame(frameTypes.synReply, Buffer.concat([words(id), emptyBlock(!this.#replied)]));
    this.#replied = true;
    const written = this.#wire.write(reply);
    if ((flags & fin) !== 0) this.#remoteDone(stream);
    return written;
  }

  #newStream(id: number, headers: ReadonlyMap<string, string>, oneWay: boolean): OpenStream {
    const channel = new Channel({
      reads: true,
      send: (data) => this.#send(stream, data),
      onEnd: () => this.#end(stream),
      onTaken: (bytes) => this.#credit(stream, bytes),
      onDestroyed: () => {
        if (this.#open.has(id) && !(stream.localDone && stream.remoteDone)) this.reset(stream);
      },
    });
    const state = { window: this.#initialWindow, taken: 0, remoteDone: false, localDone: oneWay };
    const stream: OpenStream = { id, headers, channel, ...state };
    return stream;
  }

  #refuse(id: number, code: number): Promise<void> {
    return this.#wire.write(controlFrame(frameTypes.rstStream, words(id, code)));
  }

  async #data({ stream: id, payload, fin: last }: Extract<SpdyFrame, { kind: 'data' }>): Promise<void> {
    const stream = this.#open.get(id);
    // What was under way when a stream ended is dropped, but counts for the connection.
    if (!stream || stream.remoteDone) return this.#credit(undefined, payload.length);
    await this.#wire.taken(stream.channel.deliver(payload));
    if (last) this.#remoteDone(stream);
  }

  #reset(body: Buffer): void {
    const stream = this.#open.get(number(body, 0));
    if (!stream) return;
    this.#forget(stream.id);
    stream.channel.finish();
    stream.channel.destroy();
  }

  #settings(body: Buffer): void {
    const entries = Math.min(number(body, 0), Math.floor((body.length - 4) / 8));
    for (let i = 0; i < entries; i++) {
      const id = number(body, 4 + 8 * i) & 0xffffff;
      if (id !== initialWindowSetting) continue;
      const size = number(body, 8 + 8 * i) & 0x7fffffff;
      this.#keepsWindows = true;
      for (const stream of this.#open.values()) stream.window += size - this.#initialWindow;
      this.#initialWindow = size;
    }
    this.#wakeWriters();
  }

  #windowUpdate(id: number, bytes: number): void {
    this.#keepsWindows = true;
    const stream = this.#open.get(id);
    if (id === 0) this.#window += bytes & 0x7fffffff;
    else if (stream) stream.window += bytes & 0x7fffffff;
    this.#wakeWriters();
  }

  /** Tells the client of what was taken, half a window at a time. */
  #credit(stream: OpenStream | undefined, bytes: number): undefined {
    this.#taken += bytes;
    if (this.#taken >= updateAfter) {
      void this.#wire.write(controlFrame(frameTypes.windowUpdate, words(0, this.#taken)));
      this.#taken = 0;
    }
    if (!stream || stream.remoteDone) return;
    stream.taken += bytes;
    if (stream.taken < updateAfter) return;
    void this.#wire.write(controlFrame(frameTypes.windowUpdate, words(stream.id, stream.taken)));
    stream.taken = 0;
  }

  async #send(stream: OpenStream, data: Buffer): Promise<void> {
    let rest = data;
    while (rest.length > 0 && !this.#closing && this.#open.has(stream.id)) {
      const room = this.#keepsWindows ? Math.min(stream.window, this.#window) : rest.length;
      if (room <= 0) {
        this.#windowChanged ??= Promise.withResolvers();
        await this.#windowChanged.promise;
        continue;
      }
      const part = rest.subarray(0, room);
      rest = rest.subarray(part.length);
      stream.window -= part.length;
      this.#window -= part.length;
      await this.#wire.write(dataFrame(stream.id, part, false));
    }
  }

  async #end(stream: OpenStream): Promise<void> {
    if (stream.localDone || !this.#open.has(stream.id)) return;
    stream.localDone = true;
    if (stream.remoteDone) this.#forget(stream.id);
    await this.#wire.write(dataFrame(stream.id, Buffer.alloc(0), true));
  }

  #remoteDone(stream: OpenStream): void {
    stream.remoteDone = true;
    if (stream.localDone) this.#forget(stream.id);
    stream.channel.finish();
  }

  #forget(id: number): void {
    this.#open.delete(id);
    this.#wakeWriters();
  }

  #wakeWriters(): void {
    this.#windowChanged?.resolve();
    this.#windowChanged = undefined;
  }
}

/** A number of four bytes. @throws SpdyError */
function number(body: Buffer, at: number): number {
  if (at + 4 > body.length) throw new SpdyError('a control frame is cut off');
  return body.readUInt32BE(at);
}
