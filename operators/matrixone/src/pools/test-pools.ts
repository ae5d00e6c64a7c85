import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { CNClaim, CNClaimSet, CNPool, CNSet, claimantOf, phaseOf, podOf } from '../api/index.ts';
import type { CnStoreService } from '../cnstore/index.ts';
import { World, type WorldOptions } from '../scenario/test-world.ts';

const namespace = 'default';
const selector = { matchLabels: { pool: 'p' } };

/** Compute nodes as a cluster would see them: who serves, and what is still open on each. */
export class TestStores implements CnStoreService {
  readonly serving = new Set<string>();
  /** Sessions of every node that drains. */
  sessions = 0;

  async serve({ podName }: { readonly podName: string }): Promise<void> {
    this.serving.add(podName);
  }
  async drain({ podName }: { readonly podName: string }): Promise<void> {
    this.serving.delete(podName);
  }
  async load() {
    return { sessions: this.sessions, pipelines: 0, replicas: 0 };
  }
  async forget({ podName }: { readonly podName: string }): Promise<void> {
    this.serving.delete(podName);
  }
}

/** A cluster with a pool `p`. */
export class PoolWorld implements AsyncDisposable {
  readonly world: World;

  private constructor(world: World) {
    this.world = world;
  }

  static async start(
    options: WorldOptions,
    strategy: CNPool['spec']['strategy']['scaleStrategy'],
    spec: Partial<CNPool['spec']> = {},
  ): Promise<PoolWorld> {
    const world = await World.start(options);
    await world.applyExample((cluster) => ({ ...cluster, spec: { ...cluster.spec, cnGroups: [] } }));
    await world.until('the cluster is settled', () => world.settled());
    const self = new PoolWorld(world);
    const mo = { metadata: { name: 'mo', namespace } };
    const pool: CNPool = {
      metadata: { name: 'p', namespace },
      spec: {
        template: { image: 'matrixorigin/matrixone:2.1.0' } as CNPool['spec']['template'],
        podLabels: { pool: 'p' },
        deps: { logSet: mo, dnSet: mo },
        strategy: { updateStrategy: {}, scaleStrategy: strategy },
        ...spec,
      },
    };
    await world.drive(world.client.of(CNPool).create(pool));
    return self;
  }

  async change(spec: object): Promise<void> {
    await this.world.drive(this.world.client.of(CNPool).patch({ namespace, name: 'p' }, merge({ spec })));
  }

  async claim(name: string, spec: object = {}): Promise<void> {
    await this.world.drive(
      this.world.client.of(CNClaim).create({ metadata: { name, namespace }, spec: { selector, ...spec } }),
    );
  }

  /** Asks that a claim goes from its pod to one that is idle. Answers their names. */
  async move(name: string): Promise<{ readonly source: string; readonly target: string }> {
    const { world } = this;
    const key = { namespace, name };
    const source = podOf(await world.drive(world.client.of(CNClaim).get(key))) ?? '';
    const target = (await world.drive(this.pods())).find((pod) => phaseOf(pod) === 'Idle')?.metadata.name ?? '';
    const spec = { podName: target, sourcePod: { podName: source } };
    await world.drive(world.client.of(CNClaim).patch(key, merge({ spec })));
    return { source, target };
  }

  async claimSet(name: string, replicas: number): Promise<void> {
    const set: CNClaimSet = { metadata: { name, namespace }, spec: { replicas, template: { spec: { selector } } } };
    await this.world.drive(this.world.client.of(CNClaimSet).create(set));
  }

  claims = async (): Promise<readonly CNClaim[]> => (await this.world.client.of(CNClaim).list({ namespace })).items;

  pods = async (): Promise<readonly Pod[]> =>
    (await this.world.client.of(Pod).list({ namespace, labels: 'pool.matrixorigin.io/pool-name=p' })).items;

  sets = async (): Promise<readonly CNSet[]> =>
    (await this.world.client.of(CNSet).list({ namespace, labels: 'matrixorigin.io/managed-by=CNPool-p' })).items;

  /** Waits until there are so many pods of each phase that is named, and none of another. */
  async until(wanted: Readonly<Record<string, number>>, limit = 900): Promise<void> {
    const key = (counts: object) => JSON.stringify(Object.entries(counts).sort());
    let last = '';
    const holds = async () => {
      const counts: Record<string, number> = {};
      for (const pod of await this.pods()) counts[phaseOf(pod)] = (counts[phaseOf(pod)] ?? 0) + 1;
      last = key(counts);
      return last === key(wanted);
    };
    try {
      await this.world.until(`pods ${key(wanted)}`, holds, limit);
    } catch (error) {
      const claims = (await this.world.drive(this.claims())).map(({ metadata, spec, status }) => [
        metadata.name,
        spec?.podName,
        status?.phase,
      ]);
      throw new Error(`pods are ${last}, claims ${JSON.stringify(claims)}`, { cause: error });
    }
  }

  /** What must hold at any moment: no pod has two claims, and a pod that is told to go has none that counts on it. */
  async broken(): Promise<readonly string[]> {
    const [claims, pods, sets] = [await this.claims(), await this.pods(), await this.sets()];
    const problems: string[] = [];
    const holders = new Map<string, string>();
    for (const claim of claims) {
      const pod = podOf(claim);
      if (pod === undefined || claim.metadata.deletionTimestamp) continue;
      if (holders.has(pod)) problems.push(`${pod} is held by ${holders.get(pod)} and ${claim.metadata.name}`);
      holders.set(pod, claim.metadata.name);
    }
    for (const pod of pods) {
      const { name, labels } = pod.metadata;
      const claimant = claimantOf(pod);
      const holder = holders.get(name);
      if (phaseOf(pod) === 'Bound' && holder && claimant && holder !== claimant)
        problems.push(`${name} is marked for ${claimant} and held by ${holder}`);
      const isGoing = labels?.['lifecycle.apps.kruise.io/state'] === 'PreparingDelete';
      if (phaseOf(pod) === 'Bound' && isGoing) problems.push(`${name} of ${claimant} is scaled away`);
      for (const set of sets)
        if (phaseOf(pod) === 'Bound' && set.spec.podsToDelete?.includes(name))
          problems.push(`${name} is to be deleted`);
    }
    return problems;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]();
  }
}
