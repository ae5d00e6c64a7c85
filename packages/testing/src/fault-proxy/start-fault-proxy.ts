import { randomBytes } from 'node:crypto';
import { loadKubeconfig } from '@coxswain/runtime/client';
import { type Clock, sleep, systemClock, type Timer } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import { tokenKubeconfig } from '../token-kubeconfig.ts';
import { type Arrival, type Gateway, type Judge, startGateway } from './gateway.ts';
import type { FaultProxy, FaultProxyOptions, FaultScript, NetworkFault, ProxyCounts, RequestFilter } from './types.ts';
import { startWire, type Wire } from './wire.ts';

/** Starts a proxy that passes everything on until it is told otherwise. */
export async function startFaultProxy({ kubeconfig, clock = systemClock }: FaultProxyOptions): Promise<FaultProxy> {
  const connection = await loadKubeconfig({ text: kubeconfig });
  const authority = createAuthority({ clock, name: 'fault-proxy' });
  const token = randomBytes(16).toString('hex');
  const faults = new Faults(clock);
  const gateway = await startGateway({
    connection,
    identity: authority.issueServer(['127.0.0.1']),
    token,
    judge: faults,
  });
  const wire = await startWire(clock, gateway.port);
  const server = `https://127.0.0.1:${wire.port}`;
  const config = tokenKubeconfig({ name: 'fault-proxy', server, ca: authority.cert, token });
  return new RunningProxy(clock, wire, gateway, faults, config);
}

type Answer = Extract<NetworkFault, { fault: 'answer' }>;
type Truncate = Extract<NetworkFault, { fault: 'truncate' }>;

/** The faults that concern requests, and the counts of requests. */
class Faults implements Judge {
  readonly counts = { requests: 0, lists: 0, watches: 0, writes: 0, disturbed: 0 };
  readonly #clock: Clock;
  #answers: { readonly fault: Answer; readonly until: number; left: number }[] = [];
  #cuts: { readonly fault: Truncate; left: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(fault: Answer | Truncate): void {
    if (fault.fault === 'answer') {
      const { lasts, times: left = Number.POSITIVE_INFINITY } = fault;
      this.#answers.push({ fault, until: this.#clock.monotonic() + lasts, left });
    } else this.#cuts.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#answers = [];
    this.#cuts = [];
  }

  refusal(arrival: Arrival): Answer | undefined {
    const { verb } = arrival.meaning;
    this.counts.requests++;
    if (verb === 'list' || arrival.streams) this.counts.lists++;
    if (verb === 'watch') this.counts.watches++;
    if (!['get', 'list', 'watch'].includes(verb)) this.counts.writes++;
    const now = this.#clock.monotonic();
    this.#answers = this.#answers.filter(({ until, left }) => until > now && left > 0);
    const found = this.#answers.find(({ fault }) => matches(arrival, fault.match ?? {}));
    if (!found) return undefined;
    found.left--;
    this.counts.disturbed++;
    return found.fault;
  }

  cuts(arrival: Arrival): boolean {
    const found = this.#cuts.find(({ fault, left }) => left > 0 && matches(arrival, fault.match ?? { verb: 'watch' }));
    if (!found) return false;
    found.left--;
    this.counts.disturbed++;
    this.#cuts = this.#cuts.filter(({ left }) => left > 0);
    return true;
  }
}

function matches({ meaning, userAgent, streams }: Arrival, filter: RequestFilter): boolean {
  const verbs = filter.verb === undefined || typeof filter.verb === 'string' ? [filter.verb] : filter.verb;
  return (
    (filter.verb === undefined || verbs.includes(meaning.verb)) &&
    (filter.resource === undefined || filter.resource === meaning.resource) &&
    (filter.userAgent === undefined || userAgent.startsWith(filter.userAgent)) &&
    (filter.resumes === undefined || filter.resumes === (meaning.verb === 'watch' && !streams))
  );
}

class RunningProxy implements FaultProxy {
  readonly url: string;
  readonly #clock: Clock;
  readonly #wire: Wire;
  readonly #gateway: Gateway;
  readonly #faults: Faults;
  readonly #kubeconfig: string;
  readonly #calming = new Set<Timer>();
  #stopping: Promise<void> | undefined;

  constructor(clock: Clock, wire: Wire, gateway: Gateway, faults: Faults, kubeconfig: string) {
    this.url = `https://127.0.0.1:${wire.port}`;
    this.#clock = clock;
    this.#wire = wire;
    this.#gateway = gateway;
    this.#faults = faults;
    this.#kubeconfig = kubeconfig;
  }

  kubeconfig(): string {
    return this.#kubeconfig;
  }

  get counts(): ProxyCounts {
    return { ...this.#faults.counts, connections: this.#wire.accepted };
  }

  inject(fault: NetworkFault): void {
    const { weather } = this.#wire;
    const { counts } = this.#faults;
    switch (fault.fault) {
      case 'reset':
        counts.disturbed += this.#wire.reset();
        break;
      case 'halfOpen':
        counts.disturbed += this.#wire.halfOpen(fault.ms);
        break;
      case 'delay':
        weather.delay = fault.ms;
        this.#lasting(fault.lasts, () => {
          weather.delay = 0;
        });
        break;
      case 'slow':
        weather.bytesPerSecond = fault.bytesPerSecond;
        this.#lasting(fault.lasts, () => {
          weather.bytesPerSecond = undefined;
        });
        break;
      case 'answer':
      case 'truncate':
        this.#faults.add(fault);
    }
  }

  async play(script: FaultScript, signal?: AbortSignal): Promise<void> {
    const start = this.#clock.monotonic();
    for (const { at, what } of script.toSorted((a, b) => a.at - b.at)) {
      try {
        await sleep(this.#clock, start + at - this.#clock.monotonic(), signal);
      } catch {
        return;
      }
      this.inject(what);
    }
  }

  calm(): void {
    for (const timer of this.#calming) timer.cancel();
    this.#calming.clear();
    Object.assign(this.#wire.weather, { delay: 0, bytesPerSecond: undefined });
    this.#faults.clear();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.calm();
    await this.#wire.close();
    await this.#gateway.close();
  }

  #lasting(ms: number, end: () => void): void {
    const timer = this.#clock.after(ms, () => {
      this.#calming.delete(timer);
      end();
    });
    this.#calming.add(timer);
  }
}
