import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CustomResourceDefinition, Deployment, type KubeObject, Node, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { messageOf, sleep, systemClock } from '@coxswain/runtime/core';
import { type ClusterProgram, type Finished, helmFor, toolPath } from '@coxswain/testing';
import { type Ground, startGround } from '../e2e/test-ground.ts';
import type { Recording } from '../golden/test-recording.ts';
import { restarts } from './test-changes.ts';
import { type Place, Upstream } from './test-upstream.ts';
import { kruiseNamespace, type UpstreamCharts, upstreamCharts } from './test-upstream-chart.ts';

const system = 'mo-system';
const key = { namespace: system, name: 'mo-matrixone-operator' };
/** Milliseconds without a change after which nobody has anything left to do: longer than any pause between two looks at what is well. */
const quiet = 16_000;
/** Milliseconds between two looks. */
const look = 250;

/** Objects of a database, by kind and name. */
export type Found = ReadonlyMap<string, KubeObject>;

/**
 * A cluster whose databases and OpenKruise are as the upstream chart and operator leave them, in real time: databases on nodes whose pods are
 * ready by rule, programs of charts as processes.
 */
export class HandOver implements AsyncDisposable {
  readonly client: Ground['client'];
  readonly charts: UpstreamCharts;
  readonly #ground: Ground;
  readonly #helm: ClusterProgram;
  readonly #major: 3 | 4;
  readonly #databases: Upstream[] = [];

  private constructor(ground: Ground, helm: ClusterProgram, major: 3 | 4, charts: UpstreamCharts) {
    this.client = ground.client;
    this.charts = charts;
    this.#ground = ground;
    this.#helm = helm;
    this.#major = major;
  }

  /** @param major of the Helm that is used from now on; upstream's chart is installed by Helm 3, as it was in its time */
  static async start(major: 3 | 4): Promise<HandOver> {
    const ground = await startGround({ nodes: 3 });
    const taints = [{ key: 'only', value: 'processes', effect: 'NoSchedule' }];
    await ground.client.of(Node).patch({ name: 'process-1' }, merge({ spec: { taints } }));
    const charts = await upstreamCharts(ground.client, 'mo', system);
    const helm = await helmFor(ground.kubeconfig(), major);
    const world = new HandOver(ground, helm, major, charts);
    const older = await helmFor(ground.kubeconfig(), 3);
    await older(['install', 'mo', charts.operator, '-n', system, '--create-namespace', '--take-ownership']);
    await older[Symbol.asyncDispose]();
    await world.runs(/pause/);
    return world;
  }

  /** Puts a recorded database there. */
  async add(recording: Recording): Promise<void> {
    const place: Place = {
      client: this.client,
      clock: systemClock,
      drive: (promise) => promise,
      until: (what, holds, seconds) => this.until(what, holds, seconds),
    };
    this.#databases.push(await Upstream.load(place, recording));
  }

  get namespaces(): readonly string[] {
    return this.#databases.map(({ namespace }) => namespace);
  }

  /** Runs Helm in the namespace of the releases, whatever comes of it. */
  helm(...args: readonly string[]): Promise<Finished> {
    return this.#helm.try([...args, '-n', system]);
  }

  /** Names and UIDs of all CRDs. */
  async crds(): Promise<Readonly<Record<string, string | undefined>>> {
    const { items } = await this.client.of(CustomResourceDefinition).list();
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.uid]));
  }

  /** What must be the same after everything that Helm does: CRDs, OpenKruise's pods, and the pods of all databases. */
  async alive(): Promise<Readonly<Record<string, unknown>>> {
    const { items } = await this.client.of(Pod).list({ namespace: kruiseNamespace });
    const databases = await Promise.all(this.#databases.map((one) => one.pods()));
    return { crds: await this.crds(), kruise: restarts(items), databases: databases.map(restarts) };
  }

  /** Waits until the operator's pods are those of an image, and ready. */
  runs(image: RegExp): Promise<void> {
    return this.until(`an operator of ${image}`, async () => {
      const { metadata, spec, status } = await this.client.of(Deployment).get(key);
      const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status ?? {};
      const all = [replicas, updatedReplicas, availableReplicas].every((count) => count === spec?.replicas);
      const [container] = spec?.template.spec?.containers ?? [];
      return all && observedGeneration === metadata.generation && image.test(container?.image ?? '');
    });
  }

  /** All objects of each database, once nothing has changed for a while. */
  async atRest(): Promise<readonly Found[]> {
    const versions = (all: readonly Found[]) =>
      JSON.stringify(all.map((one) => [...one].map(([name, { metadata }]) => [name, metadata.resourceVersion])));
    const objects = () => Promise.all(this.#databases.map((one) => one.objects()));
    let last: readonly Found[] = [];
    await this.until('databases at rest', async () => {
      const before = last;
      last = await objects();
      if (versions(before) === versions(last)) return true;
      await sleep(systemClock, quiet);
      return false;
    });
    return last;
  }

  async until(what: string, holds: () => Promise<boolean>, seconds = 120): Promise<void> {
    const deadline = systemClock.monotonic() + seconds * 1000;
    for (;;) {
      let problem = 'not so';
      const fail = (error: unknown) => {
        problem = messageOf(error);
        return false;
      };
      if (await holds().catch(fail)) return;
      if (systemClock.monotonic() > deadline) throw new Error(`${what}: not within ${seconds} s: ${problem}`);
      await sleep(systemClock, look);
    }
  }

  /** Runs a line of a shell as a user would, with Helm and kubectl. */
  async shell(line: string): Promise<void> {
    const home = await mkdtemp(join(tmpdir(), 'coxswain-shell-'));
    try {
      await writeFile(join(home, 'config'), this.#ground.kubeconfig(), { mode: 0o600 });
      await symlink(await toolPath(this.#major === 4 ? 'helm' : 'helm3'), join(home, 'helm'));
      await symlink(await toolPath('kubectl'), join(home, 'kubectl'));
      const env = { PATH: `${home}:${process.env['PATH']}`, HOME: home, KUBECONFIG: join(home, 'config') };
      await promisify(execFile)('sh', ['-ec', line], { env });
    } finally {
      await rm(home, { recursive: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#helm[Symbol.asyncDispose]();
    await this.charts[Symbol.asyncDispose]();
    await this.#ground.stop();
  }
}
