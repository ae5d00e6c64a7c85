import type { Duplex } from 'node:stream';
import type { Container, Pod } from '@coxswain/k8s';
import type { SimulatedPrograms } from './programs.ts';
import { SimulatedRun } from './simulated-run.ts';

/** What the containers of one pod did: the last run of each, and the one before it. */
export class ContainerRuns {
  readonly #programs: SimulatedPrograms;
  readonly #now: () => number;
  readonly #runs = new Map<string, { readonly last: SimulatedRun; readonly previous: SimulatedRun | undefined }>();

  /** @param now milliseconds since the epoch */
  constructor(programs: SimulatedPrograms, now: () => number) {
    this.#programs = programs;
    this.#now = now;
  }

  /** A container starts. @param id the one that its status shows */
  started(pod: Pod, container: Container, id: string): void {
    const before = this.#runs.get(container.name)?.last;
    before?.end();
    const { namespace, name } = pod.metadata;
    const last = new SimulatedRun({
      id,
      program: this.#programs(pod, container),
      apology: `container ${container.name} of pod ${namespace}/${name} is simulated: no program runs in it`,
      now: this.#now,
    });
    this.#runs.set(container.name, { last, previous: before });
  }

  ended(container: string): void {
    this.#runs.get(container)?.last.end();
  }

  /** The run with this id, when it is one of the last two of its container. */
  find(container: string, id: string): SimulatedRun | undefined {
    const runs = this.#runs.get(container);
    return [runs?.last, runs?.previous].find((run) => run?.id === id);
  }

  /** Who listens at a port of the pod. */
  listener(port: number): ((connection: Duplex) => void) | undefined {
    for (const { last } of this.#runs.values()) {
      const listen = last.ended ? undefined : last.program?.ports?.[port];
      if (listen) return listen;
    }
    return undefined;
  }

  /** Everything ends. */
  close(): void {
    for (const { last } of this.#runs.values()) last.end();
  }
}
