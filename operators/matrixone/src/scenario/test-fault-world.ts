// What the server runs the rules of CRDs with, and loads when it meets one: no virtual time passes while files are read.
import '@coxswain/schema/cel';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { grant } from '@coxswain/runtime/apply';
import { type Client, createClient } from '@coxswain/runtime/client';
import { type Random, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { type Cut, type CutTransport, type Invariants, watchInvariants } from '@coxswain/testing';
import { matrixoneOperator } from '../operator.ts';
import { backupProgram } from './test-backup-program.ts';
import { type FaultPlan, Faults } from './test-faults.ts';
import { invariants, watchedKinds } from './test-invariants.ts';
import { Sessions } from './test-sessions.ts';

const user = 'matrixone-operator';
const cleaner = 'amazon/aws-cli';
const definitions = matrixoneOperator.crds();

interface Process {
  readonly transport: CutTransport;
  readonly manager: Manager;
}

/** A cluster in virtual time with operators that fare as a plan says, and with invariants that are asked after each change. */
export class FaultWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  /** Draws what users do, and when. */
  readonly random: Random;
  /** Who is connected to which compute node. */
  readonly sessions: Sessions;
  readonly #plan: FaultPlan;
  readonly #faults: Faults;
  readonly #cuts: Cut[];
  readonly #processes: Process[] = [];
  #cluster: Cluster | undefined;
  #invariants: Invariants | undefined;
  #writes = 0;

  private constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.random = seededRandom(plan.seed);
    this.#faults = new Faults(plan, this.clock);
    this.sessions = new Sessions(this.clock, seededRandom(plan.seed + 1));
    this.#cuts = [...plan.cuts];
  }

  /** A cluster with the CRDs, and no operator yet. */
  static async start(plan: FaultPlan): Promise<FaultWorld> {
    const world = new FaultWorld(plan);
    const { clock } = world;
    const stages = [{ match: { image: cleaner }, exit: { delay: 5_000 } }];
    const random = seededRandom(plan.seed + 2);
    world.#cluster = await world.drive(startCluster({ clock, random, log: silentLogger, stages, definitions }));
    // What the operator is not allowed to do it cannot do here either.
    await world.drive(grant(world.client, { name: user, rules: matrixoneOperator.rules(), user }));
    const rules = invariants(world);
    const watched = { client: world.client, clock, kinds: watchedKinds, rules, seed: plan.seed };
    world.#invariants = await world.drive(watchInvariants(watched));
    return world;
  }

  get client(): Client {
    if (!this.#cluster) throw new Error('the world has not started');
    return this.#cluster.client;
  }

  /** Writes of all operators so far. */
  get writes(): number {
    return this.#processes.reduce((sum, { transport }) => sum + transport.writes, this.#writes);
  }

  /** Starts the operators of the plan. */
  async startOperators(): Promise<void> {
    for (let i = 0; i < this.#plan.operators; i++) await this.#launch();
  }

  /** From now on all goes well. */
  calm(): void {
    this.#faults.over();
    this.#cuts.length = 0;
  }

  /** Lets time go on, and a process follow each one that was cut off. */
  async advance(milliseconds: number): Promise<void> {
    await this.clock.advance(milliseconds);
    for (const ended of this.#processes.filter(({ transport }) => transport.isCut)) {
      this.#processes.splice(this.#processes.indexOf(ended), 1);
      this.#writes += ended.transport.writes;
      await this.drive(ended.manager.stop());
      await this.clock.advance(this.random.next() * 20_000);
      await this.#launch();
    }
    this.#invariants?.check();
  }

  /** Lets time go on until `holds`, or until the time is over. Answers whether it holds. */
  async until(holds: () => Promise<boolean>, seconds: number): Promise<boolean> {
    const end = this.clock.now() + seconds * 1000;
    for (let step = 500; this.clock.now() < end; step = Math.min(step * 1.2, 10_000)) {
      if (await this.drive(holds())) return true;
      await this.advance(step);
    }
    return this.drive(holds());
  }

  drive<T>(promise: Promise<T>): Promise<T> {
    return this.clock.drive(promise);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { manager } of this.#processes) await this.drive(manager.stop());
    if (this.#invariants) await this.drive(this.#invariants.stop());
    if (this.#cluster) await this.drive(this.#cluster.stop());
  }

  async #launch(): Promise<void> {
    const { clock } = this;
    const inner = this.#cluster?.clientAs({ name: user }).transport;
    if (!inner) throw new Error('the world has not started');
    const transport = this.#faults.process(inner, this.#cuts.shift());
    const random = seededRandom(this.#plan.seed + 3 + this.#writes);
    const client = createClient({ transport: transport.transport, clock, random, fieldManager: user });
    const manager = createManager({ client, name: user, clock, random, log: silentLogger });
    matrixoneOperator.setup(manager, {
      buckets: {},
      random,
      cnStores: this.sessions.through(() => this.#faults.strikes()),
      backup: { reports: backupProgram(this.client) },
    });
    this.#processes.push({ transport, manager });
    let isOver = false;
    const start = manager.start().finally(() => {
      isOver = true;
    });
    start.catch(() => {});
    // One that ends before it is ready gets no further.
    await this.clock.runUntil(() => isOver || transport.isCut, { what: 'the start of an operator' });
    if (!transport.isCut) await start;
  }
}
