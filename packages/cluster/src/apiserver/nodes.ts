import type { Duplex } from 'node:stream';
import type { CommandStreams } from './streams.ts';

/** A pod on a node. */
export interface PodReference {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A container of a pod on a node. It is in the pod's spec; whether it runs only the node knows. */
export interface ContainerReference extends PodReference {
  readonly container: string;
}

/** Which part of a log is wanted, and how. */
export interface LogOptions {
  /** Goes on until the container ends or the client leaves. */
  readonly follow: boolean;
  /** The log of the run before this one. */
  readonly previous: boolean;
  /** Each line begins with its time (RFC 3339, nanoseconds) and a space. */
  readonly timestamps: boolean;
  /** Only the last lines, so many. */
  readonly tailLines?: number;
  /** Only the first bytes of what would be answered, so many. */
  readonly limitBytes?: number;
  /** Only lines from this time on, in milliseconds since the epoch. */
  readonly since?: number;
}

/** A command to be run in a container (or, without a `command`, the container's own program to be joined). */
export interface CommandRequest extends ContainerReference {
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/**
 * A command that a node is ready to run. Resolves with the exit code when it has ended and its output is written. Rejects when it could
 * not be run at all.
 */
export type Command = (streams: CommandStreams) => Promise<number>;

/** What a container uses now. */
export interface ContainerUsage {
  /** Billionths of a core. */
  readonly cpuNanoCores: number;
  readonly memoryBytes: number;
}

/**
 * What the API server asks of a node. All of it may be refused with {@link NodeRefusal}, which the client gets to see; other
 * rejections are failures inside the server.
 */
export interface NodeConnection {
  /** Bytes of a container's log. Aborting `signal` ends it. */
  logs(container: ContainerReference, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  exec(request: CommandRequest): Promise<Command>;
  /** `command` of the request is empty. */
  attach(request: CommandRequest): Promise<Command>;
  /** Connects with a port of a pod. Rejects with an Error whose message says why, in one line, when nobody listens. */
  dial(pod: PodReference, port: number, signal: AbortSignal): Promise<Duplex>;
  /** Connects with a port of the node itself; without a port, with the node's own HTTP server. Rejects like `dial`. */
  dialNode(port: number | undefined, signal: AbortSignal): Promise<Duplex>;
  /**
   * What the containers of a pod were last seen to use, by name; `undefined` when that is not known. Absent: this node measures
   * nothing, and a rule says what its pods use.
   */
  readonly usage?: (pod: PodReference) => ReadonlyMap<string, ContainerUsage> | undefined;
}

/** The nodes that can be reached, by name. Asked at each request, so that nodes may come and go. */
export interface NodeConnections {
  get(node: string): NodeConnection | undefined;
}

/** A node does not do what was asked. */
export class NodeRefusal extends Error {
  /** HTTP status: 400, 404, 500 … */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'NodeRefusal';
    this.code = code;
  }
}
