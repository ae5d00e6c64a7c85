import { Event, type Kind, type KubeObject, PersistentVolumeClaim } from '@coxswain/k8s';
import { conditionsOf } from '@coxswain/runtime/apply';
import type { TransportRequest } from '@coxswain/runtime/client';
import { isFields } from '@coxswain/runtime/core';
import { expect } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { World, type WorldOptions } from './test-world.ts';

const namespace = 'default';
const anHour = 3_600_000;

/** Claims of transaction and compute nodes hold what can be read again, and go with their workloads. */
const cache = /^mo-data-mo-(dn|\w+-cn)-/;

/** What the operator may ask for in an hour of a trouble that does not end. A healthy cluster asks for nothing. */
const [mostRequests, mostWrites] = [1_500, 60];

/** How a trouble is told. */
export interface TroubleWords {
  readonly kind: Kind;
  readonly name: string;
  /** Of the condition `PodsFailing`. */
  readonly reason: string;
  readonly says: RegExp;
}

/** A cluster in trouble, and what its user is told. */
export class TroubleWorld implements AsyncDisposable {
  readonly world: World;
  /** All that the operator has asked for so far, watches aside. */
  readonly requests: readonly TransportRequest[];
  /** Claims with data that cannot be read again: those that were there when all was well. */
  #kept: ReadonlySet<string> = new Set();

  private constructor(world: World, requests: readonly TransportRequest[]) {
    this.world = world;
    this.requests = requests;
  }

  static async start(options: WorldOptions = {}): Promise<TroubleWorld> {
    const requests: TransportRequest[] = [];
    const world = await World.start({ ...options, onRequest: (request) => requests.push(request) });
    return new TroubleWorld(world, requests);
  }

  /** With the example in it, settled. */
  static async settled(
    change?: (cluster: MatrixOneCluster) => MatrixOneCluster,
    options: WorldOptions = {},
  ): Promise<TroubleWorld> {
    const trouble = await TroubleWorld.start(options);
    await trouble.world.applyExample(change);
    await trouble.recovers();
    return trouble;
  }

  /** Makes the example with `spec` laid over its own. */
  async create(spec: object, namespace = 'default'): Promise<void> {
    await this.world.applyExample((cluster) => laidOver(cluster, { spec }) as MatrixOneCluster, namespace);
  }

  get client() {
    return this.world.client;
  }

  drive<T>(promise: Promise<T>): Promise<T> {
    return this.world.drive(promise);
  }

  /** `Type Status Reason: message` of each condition of an object. */
  async says(kind: Kind, name: string): Promise<readonly string[]> {
    const object: KubeObject | undefined = await this.drive(this.client.of(kind).find({ namespace, name }));
    if (!object) return [];
    return conditionsOf(object).map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
  }

  /** `Kind name Reason: message` of the operator's events. */
  async events(): Promise<readonly string[]> {
    const { items } = await this.drive(this.client.of(Event).list({ namespace }));
    return items
      .filter(({ reportingController }) => reportingController?.startsWith('matrixone-operator'))
      .map(({ regarding, reason, note }) => `${regarding?.kind} ${regarding?.name} ${reason}: ${note}`);
  }

  /** Whether a trouble is told of: at the set by its reason and in its words, and at the cluster in the same words. */
  async tellsOf({ kind, name, reason, says }: TroubleWords): Promise<string> {
    const start = `PodsFailing True ${reason}: `;
    const lines = await this.says(kind, name);
    const message = lines.find((line) => line.startsWith(start))?.slice(start.length);
    expect(message, lines.join('\n')).toMatch(says);
    const cluster = await this.says(MatrixOneCluster, 'mo');
    expect(
      cluster.filter((line) => line.includes(` ${kind.kind} ${name}: `) && line.includes(message ?? '')),
    ).not.toEqual([]);
    return message ?? '';
  }

  /** The same, and whether it is news: events are kept for an hour. */
  async newlyTellsOf(words: TroubleWords): Promise<void> {
    const message = await this.tellsOf(words);
    const events = await this.events();
    expect(events).toContain(`${words.kind.kind} ${words.name} PodsFailing: ${message}`);
    expect(events).toContainEqual(expect.stringMatching(/^MatrixOneCluster mo \w+Not(Ready|Synced): /));
  }

  /** Lets time pass with the trouble: no claim goes, the operator asks for little and writes next to nothing. @param hours default a third of one */
  async endures(hours = 1 / 3): Promise<void> {
    const claims = await this.claims();
    const from = this.requests.length;
    await this.world.clock.advance(hours * anHour);
    const asked = this.requests.slice(from);
    const writes = asked.filter(({ method }) => method !== 'GET');
    const what = () => JSON.stringify(counted(asked.map(({ method, path }) => `${method} ${path}`)));
    expect(writes.length, what()).toBeLessThanOrEqual(hours * mostWrites);
    expect(asked.length, what()).toBeLessThanOrEqual(hours * mostRequests);
    expect(await this.claims()).toEqual(expect.arrayContaining(claims.filter((claim) => this.#kept.has(claim))));
  }

  /** `name uid` of all claims. */
  async claims(): Promise<readonly string[]> {
    const { items } = await this.drive(this.client.of(PersistentVolumeClaim).list({ namespace }));
    return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`);
  }

  /** Waits until all is well, and nothing is said of a trouble any more. */
  async recovers(limit = 1_200): Promise<void> {
    await this.world.until('the cluster is settled', () => this.world.settled(), limit);
    const claims = await this.claims();
    expect(claims).toEqual(expect.arrayContaining([...this.#kept]));
    this.#kept = new Set(claims.filter((claim) => !cache.test(claim)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

function counted(lines: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}

/** `over` laid over `under`: fields within fields, anything else as a whole. */
function laidOver(under: unknown, over: unknown): unknown {
  if (!isFields(under) || !isFields(over)) return over;
  const merged = Object.entries(over).map(([name, value]) => [name, laidOver(under[name], value)]);
  return { ...under, ...Object.fromEntries(merged) };
}
