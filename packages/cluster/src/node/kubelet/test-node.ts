import { type Container, type ContainerStatus, Pod, type PodSpec } from '@coxswain/k8s';
import { seededRandom } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { TestCluster } from '../../controllers/test-cluster.ts';
import type { NodeSpec } from './managed-node.ts';
import { NodePool } from './node-pool.ts';
import { TestRuntime } from './test-runtime.ts';

/** A cluster in virtual time with one node, `n1`, whose runtime is in the hands of the test. */
export class TestNode implements AsyncDisposable {
  readonly world: TestCluster;
  readonly runtime: TestRuntime;
  readonly pool: NodePool;
  readonly #manager: Manager;

  private constructor(world: TestCluster, spec: Partial<NodeSpec>, sighted: boolean) {
    this.world = world;
    this.runtime = new TestRuntime(world.clock);
    const { client, clock } = world;
    this.#manager = createManager({
      client,
      name: 'test-node',
      clock,
      random: seededRandom(2),
      log: world.cluster.log,
    });
    const node: NodeSpec = {
      name: 'n1',
      address: '10.0.0.1',
      runtime: this.runtime,
      capacity: { cpu: '4', memory: '8Gi', pods: '20' },
      kernel: 'test',
      osImage: 'test',
      ...spec,
    };
    this.pool = new NodePool(this.#manager, { nodes: async () => [node], connections: new Map(), sighted });
  }

  /** @param sighted whether its runtime keeps something of pods; default no */
  static async start(spec: Partial<NodeSpec> = {}, { sighted = false } = {}): Promise<TestNode> {
    const node = new TestNode(await TestCluster.start({ nodes: 0 }), spec, sighted);
    await node.world.drive(node.#manager.start());
    await node.world.settle();
    return node;
  }

  /** Creates pod `a` with a container `main`. */
  async pod(container: Partial<Container> = {}, spec: Partial<PodSpec> = {}, name = 'a'): Promise<void> {
    const containers = [{ name: 'main', image: 'app:1', ...container }];
    await this.world.create(Pod, { metadata: { name }, spec: { containers, ...spec } });
  }

  get(name = 'a'): Promise<Pod> {
    return this.world.get(Pod, name);
  }

  /** The status of a container of pod `a`. */
  async container(name = 'main'): Promise<ContainerStatus> {
    const { initContainerStatuses = [], containerStatuses = [] } = (await this.get()).status ?? {};
    const found = [...initContainerStatuses, ...containerStatuses].find((status) => status.name === name);
    if (!found) throw new Error(`pod a shows no container ${name}`);
    return found;
  }

  /** Ends the latest run of a container. */
  async end(exitCode: number, container = 'main', reason?: string): Promise<void> {
    this.runtime.run(container).end({ exitCode, ...(reason ? { reason } : {}) });
    await this.world.settle();
  }

  advance(seconds: number): Promise<void> {
    return this.world.advance(seconds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.drive(this.#manager.stop());
    await this.world[Symbol.asyncDispose]();
  }
}
