import type { Duplex, Readable, Writable } from 'node:stream';
import type { Status } from '@coxswain/k8s';

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The channels of one command, carried by an upgraded connection. Those the client did not ask for are absent. */
export interface CommandStreams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Never with a terminal: what it shows is in `stdout`. */
  readonly stderr?: Writable;
  /** Sizes of the client's terminal, the first one early; ends with the connection. */
  readonly resize?: AsyncIterable<TerminalSize>;
  /** Aborted when the client is gone: the command ends. */
  readonly signal: AbortSignal;
}

/** An exec or attach that was admitted: the door to the client upgrades the connection, then runs it. */
export interface CommandSession {
  readonly kind: 'command';
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  /**
   * Resolves when the command has ended and its output is written, with what the error channel tells: `Success`, or `Failure` with the
   * exit code as cause `ExitCode`. A rejection is told as an InternalError.
   */
  run(streams: CommandStreams): Promise<Status>;
}

/** A port-forward that was admitted. */
export interface PortForwardSession {
  readonly kind: 'portforward';
  /** Ports named in the query (WebSocket without tunnel); SPDY names the port with each stream. */
  readonly ports: readonly number[];
  /** Joins `connection` with the port of the pod until either side ends. Rejects with a message for the client's error stream. */
  connect(port: number, connection: Duplex, signal: AbortSignal): Promise<void>;
}

/**
 * A connection to a server behind a proxy that took the client's upgrade: the door answers 101 with these headers, and joins the
 * two connections as they are until either side ends.
 */
export interface TunnelSession {
  readonly kind: 'tunnel';
  /** Of the server's answer, `Connection` and `Upgrade` among them; names as written. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Bytes after the answer included. */
  readonly connection: Duplex;
}
