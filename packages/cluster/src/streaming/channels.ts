import type { MessagePiece, WebSocket } from './web-socket.ts';

/** Where the data of one channel goes. */
export interface ChannelSink {
  /** What is answered is waited for before more is read. */
  deliver(data: Buffer): Promise<void> | undefined;
  finish(): void;
}

export interface ChannelCodec {
  /** Messages are text: the channel as a digit, then base64. Else bytes: the channel, then the data. */
  readonly base64: boolean;
  /** The message `255, channel` ends a channel. */
  readonly halfClose: boolean;
}

const closeSignal = 255;

/** Several streams of bytes over one WebSocket: each message begins with the number of its channel. */
export class Channels {
  readonly #socket: WebSocket;
  readonly #codec: ChannelCodec;
  readonly #sinks: ReadonlyMap<number, ChannelSink>;
  /** The channel of the message that is arriving; `undefined` until its first byte is there. */
  #channel: number | undefined;
  /** Base64 whose group of four is not complete yet. */
  #carry = '';

  /** @param sinks the channels that clients may send on; what comes on others is dropped */
  constructor(socket: WebSocket, codec: ChannelCodec, sinks: ReadonlyMap<number, ChannelSink>) {
    this.#socket = socket;
    this.#codec = codec;
    this.#sinks = sinks;
  }

  /** Reads until the client is gone, then ends all channels. */
  async read(): Promise<void> {
    await this.#socket.read((piece) => this.#take(piece));
    for (const sink of this.#sinks.values()) sink.finish();
  }

  send(channel: number, data: Buffer): Promise<void> {
    if (this.#codec.base64) return this.#socket.send('text', Buffer.from(`${channel}${data.toString('base64')}`));
    return this.#socket.send('binary', Buffer.from([channel]), data);
  }

  #take({ first, last, payload }: MessagePiece): Promise<void> | undefined {
    if (first) {
      this.#channel = undefined;
      this.#carry = '';
    }
    let data = payload;
    if (this.#channel === undefined && data.length > 0) {
      this.#channel = (data[0] as number) - (this.#codec.base64 ? 48 : 0);
      data = data.subarray(1);
    }
    if (this.#channel === undefined || (data.length === 0 && !last)) return undefined;
    if (this.#codec.halfClose && this.#channel === closeSignal) {
      for (const channel of data) this.#sinks.get(channel)?.finish();
      return undefined;
    }
    return this.#sinks.get(this.#channel)?.deliver(this.#codec.base64 ? this.#decode(data, last) : data);
  }

  #decode(data: Buffer, last: boolean): Buffer {
    const text = this.#carry + data.toString('latin1');
    const whole = last ? text.length : text.length - (text.length % 4);
    this.#carry = text.slice(whole);
    return Buffer.from(text.slice(0, whole), 'base64');
  }
}
