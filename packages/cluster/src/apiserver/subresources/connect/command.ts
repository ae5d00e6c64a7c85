import type { MutableJson, Status } from '@coxswain/k8s';
import { apiError } from '@coxswain/runtime/core';
import { type Command, type CommandRequest, type NodeConnections, NodeRefusal } from '../../nodes.ts';
import type { CommandSession } from '../../streams.ts';
import type { ApiRequest, ApiResponse, ConnectHandler, ConnectRequest } from '../../types.ts';
import { findPod, referenceOf } from './find-pod.ts';
import { containerOf } from './pod-container.ts';
import { flag, valuesOf } from './query-values.ts';
import { connectionRefused, nodeOf } from './reach.ts';
import { internalError, notScheduled, refusedUpgrade, upgradeRequired } from './refused.ts';

/** What differs between a new command and the container's own. */
interface Flavour {
  readonly name: 'exec' | 'attach';
  readonly kind: string;
  /** What failed, in words. */
  readonly doing: string;
}

const exec: Flavour = { name: 'exec', kind: 'PodExecOptions', doing: 'executing command in' };
const attach: Flavour = { name: 'attach', kind: 'PodAttachOptions', doing: 'attaching to' };

const streams = ['stdin', 'stdout', 'stderr', 'tty'] as const;

function optionsOf(request: ApiRequest, { name, kind }: Flavour): MutableJson {
  const options: MutableJson = { kind, apiVersion: 'v1' };
  for (const stream of streams) if (flag(request, stream)) options[stream] = true;
  const { container } = request.query ?? {};
  if (container) options.container = container;
  const command = valuesOf(request, 'command');
  if (name === 'exec') options.command = command.length > 0 ? [...command] : null;
  return options;
}

const success: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };

function endedWith(code: number, command: readonly string[]): Status {
  if (code === 0) return success;
  const why = `error executing command [${command.join(' ')}], exit code ${code}`;
  const details = { causes: [{ reason: 'ExitCode', message: String(code) }] };
  return apiError(500, 'NonZeroExitCode', `command terminated with non-zero exit code: ${why}`, details).status;
}

function sessionOf(command: Command, request: CommandRequest, { name, doing }: Flavour): CommandSession {
  const { stdin, stdout, stderr, tty } = request;
  return {
    kind: 'command',
    stdin,
    stdout,
    stderr,
    tty,
    async run(channels) {
      try {
        const code = await command(channels);
        return name === 'exec' ? endedWith(code, request.command) : success;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw internalError(`error ${doing} container: ${why}`);
      }
    },
  };
}

/** A terminal shows both in one. */
function wishesOf(options: MutableJson): Pick<CommandRequest, 'stdin' | 'stdout' | 'stderr' | 'tty' | 'command'> {
  const tty = options.tty === true;
  const wishes = {
    stdin: options.stdin === true,
    stdout: options.stdout === true,
    stderr: options.stderr === true && !tty,
    tty,
    command: Array.isArray(options.command) ? options.command.map(String) : [],
  };
  if (wishes.stdin || wishes.stdout || wishes.stderr) return wishes;
  throw new NodeRefusal(400, 'you must specify at least 1 of stdin, stdout, stderr');
}

async function connect(
  nodes: NodeConnections,
  { request, namespace, name, options, storage, authorize }: ConnectRequest,
  flavour: Flavour,
): Promise<ApiResponse> {
  authorize('create');
  const pod = findPod(storage, namespace, name);
  const container = containerOf(pod, String(options.container ?? ''));
  const node = nodeOf(nodes, storage, pod);
  if (!node) throw notScheduled(name);
  if (!request.upgrade) throw upgradeRequired();
  if (!node.connection) throw apiError(500, '', `error dialing backend: ${connectionRefused(node)}`);
  try {
    const asked: CommandRequest = { ...referenceOf(pod), container, ...wishesOf(options) };
    const command = await node.connection[flavour.name](asked);
    return { kind: 'upgrade', code: 101, body: sessionOf(command, asked, flavour) };
  } catch (error) {
    return refusedUpgrade(error);
  }
}

function handler(nodes: NodeConnections, flavour: Flavour): ConnectHandler {
  return {
    resource: '/pods',
    name: flavour.name,
    methods: ['GET', 'POST'],
    subpaths: false,
    options: (request) => optionsOf(request, flavour),
    connect: (request) => connect(nodes, request, flavour),
  };
}

/** `pods/exec`: runs another command in a container. */
export const podExec = (nodes: NodeConnections): ConnectHandler => handler(nodes, exec);
/** `pods/attach`: joins the program that a container runs. */
export const podAttach = (nodes: NodeConnections): ConnectHandler => handler(nodes, attach);
