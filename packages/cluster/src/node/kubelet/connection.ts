import { type Duplex, duplexPair } from 'node:stream';
import {
  type Command,
  type CommandRequest,
  type ContainerReference,
  type ContainerUsage,
  type NodeConnection,
  NodeRefusal,
  type PodReference,
} from '../../apiserver/index.ts';
import type { RunningContainer } from '../runtime.ts';
import { logSource } from './log-source.ts';
import type { PodWorker } from './pod-worker.ts';
import type { UsageRates } from './usage-rates.ts';

export interface KubeletConnectionOptions {
  readonly node: string;
  /** A pod on the node. */
  readonly workerOf: (pod: PodReference) => PodWorker | undefined;
  /** Takes a connection to the node's own HTTP server. */
  readonly serve: (connection: Duplex) => void;
  /** Connects with a port of the node. */
  readonly dialNode: (port: number, signal: AbortSignal) => Promise<Duplex>;
  readonly rates: UsageRates;
}

/** How the API server reaches a node and what runs on it. */
export class KubeletConnection implements NodeConnection {
  readonly #options: KubeletConnectionOptions;

  constructor(options: KubeletConnectionOptions) {
    this.#options = options;
  }

  async logs(
    container: ContainerReference,
    options: Parameters<NodeConnection['logs']>[1],
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const worker = this.#options.workerOf(container);
    if (!worker) throw new NodeRefusal(404, `pod ${JSON.stringify(container.name)} does not exist`);
    const statuses = worker.containers.all.map(({ status }) => status);
    const id = logSource(statuses, container, options.previous);
    return worker.sandbox?.log(container.container, id, options, signal) ?? lost(id);
  }

  async exec(request: CommandRequest): Promise<Command> {
    const { command, tty, container } = request;
    const run = this.#running(request);
    if (!run) throw new NodeRefusal(500, `container not found (${JSON.stringify(container)})`);
    return (streams) => run.exec(command, tty, streams);
  }

  async attach(request: CommandRequest): Promise<Command> {
    const { tty, namespace, name, container } = request;
    const run = this.#running(request);
    if (!run) throw new NodeRefusal(500, `container ${container} not found in pod ${name}_${namespace}`);
    return async (streams) => {
      await run.attach(tty, streams);
      return 0;
    };
  }

  async dial(pod: PodReference, port: number, signal: AbortSignal): Promise<Duplex> {
    const sandbox = this.#options.workerOf(pod)?.sandbox;
    if (!sandbox) throw new Error(`pod ${pod.namespace}/${pod.name} does not run on node ${this.#options.node}`);
    return sandbox.dial(port, signal);
  }

  async dialNode(port: number | undefined, signal: AbortSignal): Promise<Duplex> {
    return port === undefined ? connectTo(this.#options.serve) : this.#options.dialNode(port, signal);
  }

  readonly usage = (pod: PodReference): ReadonlyMap<string, ContainerUsage> | undefined => {
    const worker = this.#options.workerOf(pod);
    if (!worker) return undefined;
    const measured = new Map<string, ContainerUsage>();
    for (const { status } of worker.containers.all) {
      const run = this.#running({ ...pod, container: status.name });
      const usage = run && this.#options.rates.of(run);
      if (usage) measured.set(status.name, usage);
    }
    return measured;
  };

  #running({ container, ...pod }: ContainerReference): RunningContainer | undefined {
    const state = this.#options.workerOf(pod)?.containers.find(container)?.state;
    return state?.kind === 'running' && !state.run.exit ? state.run : undefined;
  }
}

/** Hands one end of a new connection over, and answers the other. */
export function connectTo(listen: (connection: Duplex) => void): Duplex {
  const [ours, theirs] = duplexPair();
  // Whoever resets a connection tells the other end, not this process.
  theirs.on('error', () => {});
  listen(theirs);
  return ours;
}

/** Runs from before this process have no log here. */
async function* lost(id: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`unable to retrieve container logs for ${id}`);
}
