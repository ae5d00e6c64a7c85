import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { cpuMs } from '../process.ts';
import type { Candidate } from './candidates.ts';

/** The core that the operators have to themselves; servers and driver share the other. */
export const operatorCore = 1;

export interface EchoOptions {
  readonly kubeconfig: string;
  /** So many distinct objects reconciled make the event `all`. */
  readonly expect?: number;
  /** `namespace/name` */
  readonly lease?: string;
  readonly webhook?: { readonly port: number; readonly cert: string; readonly key: string };
  readonly metricsPort?: number;
}

type Event = 'started' | 'synced' | 'first' | 'all' | 'stats';

/** A candidate that runs. */
export class EchoProcess {
  readonly candidate: Candidate;
  readonly #child: ChildProcess;
  readonly #since = performance.now();
  readonly #events = new Map<Event, { readonly at: number; readonly line: Readonly<Record<string, unknown>> }>();
  readonly #waiting = new Set<() => void>();
  #said = '';
  #ended = false;

  constructor(candidate: Candidate, options: EchoOptions) {
    this.candidate = candidate;
    const { webhook } = options;
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      KUBECONFIG: options.kubeconfig,
      EXPECT: String(options.expect ?? 0),
      METRICS_PORT: String(options.metricsPort ?? 0),
      ...(options.lease ? { LEASE: options.lease } : {}),
      ...(webhook ? { WEBHOOK_PORT: String(webhook.port), WEBHOOK_CERT: webhook.cert, WEBHOOK_KEY: webhook.key } : {}),
    };
    this.#child = spawn('taskset', ['-c', String(operatorCore), ...candidate.command], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (this.#child.stdout) createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-2_000);
    });
    this.#child.once('exit', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Milliseconds from the start of the process to the event. @throws Error after `limit` milliseconds, or when it ended */
  async until(event: Event, limit = 600_000): Promise<number> {
    const { at } = await this.#event(event, limit);
    return at - this.#since;
  }

  /** How many reconciles it has done. */
  async reconciles(): Promise<number> {
    this.#events.delete('stats');
    this.#child.kill('SIGUSR2');
    const { line } = await this.#event('stats', 10_000);
    return Number(line['reconciles']);
  }

  cpu(): Promise<number> {
    return cpuMs(this.pid);
  }

  /** MiB: the most it ever had resident, and what it has now. */
  async memory(): Promise<{ readonly peak: number; readonly now: number }> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8');
    const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return { peak: mib('VmHWM'), now: mib('VmRSS') };
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#ended) return;
    const exit = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await exit;
    clearTimeout(timer);
  }

  async #event(event: Event, limit: number): Promise<{ at: number; line: Readonly<Record<string, unknown>> }> {
    // Told by the timer and not by a clock, which may be behind it by a moment: nobody would wake this again.
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, limit);
    try {
      for (;;) {
        const found = this.#events.get(event);
        if (found) return found;
        const why = this.#ended ? 'has ended' : late ? `took over ${limit / 1000} s` : undefined;
        if (why) throw new Error(`until "${event}" it ${why}\nIt last said:\n${this.#said}`);
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #read(text: string): void {
    if (!text.startsWith('{"event"')) return;
    const line = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const event = line['event'] as Event;
    if (!this.#events.has(event)) this.#events.set(event, { at: performance.now(), line });
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
