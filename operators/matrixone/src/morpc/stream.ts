/** What a stream tells whoever reads it. Nothing is told before {@link ByteStream.read}, nor after `ended`. */
export interface StreamReader {
  data(bytes: Uint8Array): void;
  /** The other side is gone; `error` says why when it did not go by itself. Not called after our own `close`. */
  ended(error?: Error): void;
}

/** A connection as this room sees it: bytes in order, both ways. */
export interface ByteStream {
  /** Starts reading; called once. */
  read(reader: StreamReader): void;
  /** Sends bytes, which the caller does not touch again. Nothing happens once the stream has ended. */
  write(bytes: Uint8Array): void;
  /** Ends the stream in both directions, at once. */
  close(): void;
}

/** Connects to `host:port`. Rejects when that fails, or with the signal's reason. */
export type Dial = (address: string, signal: AbortSignal) => Promise<ByteStream>;
