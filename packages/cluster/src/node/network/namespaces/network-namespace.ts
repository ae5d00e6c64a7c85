import type { ChildProcess } from 'node:child_process';
import type { Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Clock, withTimeout } from '@coxswain/runtime/core';
import { childProcess } from '../../../late-modules.ts';
import { failedDial } from '../dial.ts';
import { NetworkError } from '../errors.ts';
import type { Place } from '../place.ts';
import type { PodNamespaces } from '../types.ts';
import type { NamespaceAnswer, NamespaceRequest } from './protocol.ts';

type Asked<T = NamespaceRequest> = T extends NamespaceRequest ? Omit<T, 'id'> : never;

interface Answered {
  readonly answer: NamespaceAnswer;
  readonly handle: unknown;
}

export interface NetworkNamespaceOptions {
  readonly clock: Clock;
  /** The user namespace that it is to belong to; absent: without privileges one of its own. */
  readonly user?: string;
  /** Told when it ends before it is closed: its pods have no network any more. */
  readonly onLost: (why: string) => void;
}

/** Milliseconds for what is asked of the process inside. */
const limit = 10_000;

/**
 * A network namespace in which pods have addresses of their own choice, each in a namespace joined with this one. Its sockets are used by
 * this process as its own. Nothing of the machine's network is changed, and nothing is left when this process ends, however it ends.
 */
export class NetworkNamespace implements Place {
  readonly name = 'namespace';
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #user: string | undefined;
  readonly #waiting = new Map<number, (answered: Answered | Error) => void>();
  #lastId = 0;
  #lastLink = 0;
  #closed = false;

  private constructor(child: ChildProcess, user: string | undefined, { clock, onLost }: NetworkNamespaceOptions) {
    this.#child = child;
    this.#user = user;
    this.#clock = clock;
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-1_000);
    });
    child.on('message', (answer: NamespaceAnswer, handle: unknown) => {
      this.#waiting.get(answer.id)?.({ answer, handle });
    });
    const ended = (why: string) => {
      const lost = !this.#closed && this.#waiting.size === 0;
      for (const settle of [...this.#waiting.values()]) settle(new Error(why));
      if (lost) onLost(why);
    };
    child.once('error', (error) => ended(error.message));
    child.once('exit', () => ended(complaint.trim() || 'its process has ended'));
  }

  /** @throws NetworkError that says what this machine does not allow */
  static async start(options: NetworkNamespaceOptions): Promise<NetworkNamespace> {
    const { user } = options;
    const own = user === undefined && process.getuid?.() !== 0;
    const enter = user === undefined ? [] : ['nsenter', `--user=${user}`, '--preserve-credentials', '--'];
    const unshare = ['unshare', ...(own ? ['--user', '--map-root-user'] : []), '--net', '--'];
    const program = fileURLToPath(new URL('./inside.ts', import.meta.url));
    const [command = '', ...args] = [...enter, ...unshare, process.execPath, program];
    const child = childProcess().spawn(command, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { PATH: process.env['PATH'] ?? '' },
    });
    const namespace = new NetworkNamespace(child, own ? `/proc/${child.pid}/ns/user` : user, options);
    try {
      await namespace.#answered(0, 'the network namespace of pods');
      return namespace;
    } catch (error) {
      await namespace.close();
      const why = error instanceof Error ? error.message : String(error);
      throw new NetworkError(`this machine does not allow network namespaces (${why})`, { cause: error });
    }
  }

  /** Makes a namespace for a pod with this address. */
  async addPod(address: string): Promise<PodNamespaces & { readonly link: string }> {
    const link = `pod${++this.#lastLink}`;
    const { answer } = await this.#ask({ kind: 'add', link, address });
    const user = this.#user === undefined ? {} : { user: this.#user };
    return { link, network: `/proc/${answer.pid}/ns/net`, ...user };
  }

  /** Ends a pod's connection with the others; its namespace goes with its last process. */
  async removePod(link: string, address: string): Promise<void> {
    await this.#ask({ kind: 'remove', link, address });
  }

  /** Whether it is there, and all pods in it. */
  get alive(): boolean {
    return this.#child.connected;
  }

  async listen(address: string, port: number): Promise<Server> {
    const server = (await this.#ask({ kind: 'listen', address, port })).handle as Server;
    return Object.assign(server, { allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
  }

  async bind(address: string, port: number): Promise<UdpSocket> {
    return (await this.#ask({ kind: 'bind', address, port })).handle as UdpSocket;
  }

  /** Connects with a port of a pod. Rejects in Go's words. */
  async dial(address: string, port: number, signal: AbortSignal): Promise<Duplex> {
    const asked = this.#ask({ kind: 'connect', address, port }).catch((error: NodeJS.ErrnoException) => {
      throw failedDial(address, port, error);
    });
    const left = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    signal.throwIfAborted();
    try {
      const socket = (await Promise.race([asked, left])).handle as Socket;
      socket.allowHalfOpen = true;
      return socket.on('error', () => {});
    } catch (error) {
      // A connection that comes after all is nobody's.
      asked.then(({ handle }) => (handle as Socket).destroy()).catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #ask(request: Asked): Promise<Answered> {
    if (!this.alive) throw new Error('the network namespace of pods has ended');
    const id = ++this.#lastId;
    const answered = this.#answered(id, `the network namespace of pods (${request.kind})`);
    this.#child.send({ ...request, id });
    const { answer, handle } = await answered;
    if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    return { answer, handle };
  }

  #answered(id: number, what: string): Promise<Answered> {
    const answered = new Promise<Answered>((resolve, reject) => {
      this.#waiting.set(id, (result) => (result instanceof Error ? reject(result) : resolve(result)));
    });
    return withTimeout(this.#clock, limit, what, async () => {
      const result = await answered;
      if (id === 0 && result.answer.error) throw new Error(result.answer.error.message);
      return result;
    }).finally(() => this.#waiting.delete(id));
  }
}
