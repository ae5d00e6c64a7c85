import { type Duplex, duplexPair } from 'node:stream';
import {
  type Command,
  type CommandRequest,
  type CommandStreams,
  type ContainerReference,
  type NodeConnection,
  NodeRefusal,
  type PodReference,
} from '../apiserver/index.ts';
import { logSource } from './log-source.ts';
import { readLog } from './read-log.ts';
import type { Sandbox } from './sandbox.ts';
import type { SimulatedRun } from './simulated-run.ts';

/** Exit code of a command that is there but cannot be run, as shells have it. */
const cannotExecute = 126;

export interface SimulatedConnectionOptions {
  readonly node: string;
  /** The containers of a pod on the node. */
  readonly sandboxOf: (pod: PodReference) => Sandbox | undefined;
  /** Takes a connection to the node's own HTTP server. */
  readonly serve: (connection: Duplex) => void;
}

const statusesOf = (sandbox: Sandbox) => [...sandbox.statuses(false), ...sandbox.statuses(true)];

/** Hands one end of a new connection over, and answers the other. */
function connected(listen: (connection: Duplex) => void): Duplex {
  const [ours, theirs] = duplexPair();
  // Whoever resets a connection tells the other end, not this process.
  theirs.on('error', () => {});
  listen(theirs);
  return ours;
}

/** The log from now on, until the run ends or the client leaves. */
async function follow({ log }: SimulatedRun, { stdout, stderr, signal }: CommandStreams): Promise<void> {
  for (let position = log.length; !signal.aborted; ) {
    const { ended } = log;
    const { lines, next } = log.read(position);
    position = next;
    for (const { stream, text } of lines) (stream === 'stdout' ? stdout : (stderr ?? stdout))?.write(`${text}\n`);
    if (ended) return;
    await log.changed(position, signal);
  }
}

/** How the API server reaches a simulated node: what its containers have are the programs that stand in for them. */
export class SimulatedConnection implements NodeConnection {
  readonly #options: SimulatedConnectionOptions;

  constructor(options: SimulatedConnectionOptions) {
    this.#options = options;
  }

  async logs(
    container: ContainerReference,
    options: Parameters<NodeConnection['logs']>[1],
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const sandbox = this.#options.sandboxOf(container);
    if (!sandbox) throw new NodeRefusal(404, `pod ${JSON.stringify(container.name)} does not exist`);
    const id = logSource(statusesOf(sandbox), container, options.previous);
    const run = sandbox.runs.find(container.container, id);
    return run ? readLog(run.log, options, signal) : lost(id);
  }

  async exec(request: CommandRequest): Promise<Command> {
    const { command, tty, container } = request;
    const run = this.#running(request);
    if (!run) throw new NodeRefusal(500, `container not found (${JSON.stringify(container)})`);
    return async (streams) => {
      const exec = run.program?.exec;
      if (exec) return exec({ command, tty, streams });
      const why = `${this.#simulated(request)} that could execute ${JSON.stringify(command)}`;
      (streams.stderr ?? streams.stdout)?.write(`${why}\n`);
      return cannotExecute;
    };
  }

  async attach(request: CommandRequest): Promise<Command> {
    const { tty, namespace, name, container } = request;
    const run = this.#running(request);
    if (!run) throw new NodeRefusal(500, `container ${container} not found in pod ${name}_${namespace}`);
    const { program } = run;
    return async (streams) => {
      if (!program) throw new Error(`${this.#simulated(request)} to attach to`);
      await (program.attach?.({ command: [], tty, streams }) ?? follow(run, streams));
      return 0;
    };
  }

  async dial(pod: PodReference, port: number): Promise<Duplex> {
    const { node, sandboxOf } = this.#options;
    const sandbox = sandboxOf(pod);
    const listen = sandbox?.runs.listener(port);
    if (listen) return connected(listen);
    const address = sandbox?.address ?? '';
    throw new Error(`dial tcp ${address}:${port}: connect: connection refused (node ${node} is simulated)`);
  }

  async dialNode(port: number | undefined): Promise<Duplex> {
    const { node, serve } = this.#options;
    if (port === undefined) return connected(serve);
    throw new Error(`dial tcp ${node}:${port}: connect: connection refused (node ${node} is simulated)`);
  }

  #running({ container, ...pod }: ContainerReference): SimulatedRun | undefined {
    const sandbox = this.#options.sandboxOf(pod);
    const status = sandbox && statusesOf(sandbox).find(({ name }) => name === container);
    return status?.state?.running ? sandbox?.runs.find(container, status.containerID ?? '') : undefined;
  }

  #simulated({ namespace, name, container }: ContainerReference): string {
    const { node } = this.#options;
    return `node ${node} is simulated: container ${container} of pod ${namespace}/${name} runs no program`;
  }
}

/** Runs from before this process have no log here. */
async function* lost(id: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`unable to retrieve container logs for ${id}`);
}
