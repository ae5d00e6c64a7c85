import { type ChildProcess, spawn } from 'node:child_process';
import { systemClock } from '@coxswain/runtime/core';
import type { Peer } from './peers.ts';

/** An operator as a process of its own, which can be started again. */
export class OperatorProcess {
  readonly #peer: Peer;
  readonly #kubeconfig: string;
  #child: ChildProcess | undefined;
  #said = '';

  constructor(peer: Peer, kubeconfig: string) {
    this.#peer = peer;
    this.#kubeconfig = kubeconfig;
  }

  /** The last of its output. */
  get said(): string {
    return this.#said;
  }

  start(): void {
    const [program, ...args] = this.#peer.command;
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', KUBECONFIG: this.#kubeconfig },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-3_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => keep(Buffer.from(String(error))));
    this.#child = child;
  }

  /** Asks it to end, and ends it after 10 s. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = systemClock.after(10_000, () => child.kill('SIGKILL'));
    await exit;
    timer.cancel();
  }
}
