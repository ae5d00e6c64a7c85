import { Lease, Node, type NodeCondition, Pod } from '@coxswain/k8s';
import { type Client, strategic } from '@coxswain/runtime/client';
import { formatMicroTime, formatTime, isAlreadyExists, isNotFound, keyOf, type Timer } from '@coxswain/runtime/core';
import type { Manager, Runnable } from '@coxswain/runtime/manager';
import type { NodeConnection, PodReference } from '../apiserver/index.ts';
import { controllerRecorder } from '../controllers/workload/recorder.ts';
import type { PodBehaviour } from './behaviour.ts';
import { Kubelet } from './kubelet.ts';
import { nodeServer } from './node-server.ts';
import type { SimulatedPrograms } from './programs.ts';
import { SimulatedConnection } from './simulated-connection.ts';

export interface SimulatedNodesOptions {
  /** How many; named `node-1` … */
  readonly count: number;
  /** Whether more of them that are in the cluster go on; otherwise they are removed with their pods. Default false. */
  readonly keep?: boolean;
  readonly behaviour?: PodBehaviour;
  /** What stands in for the programs of containers; default nothing. */
  readonly programs?: SimulatedPrograms;
  /** Where the nodes say how they are reached, by name. */
  readonly connections?: Map<string, NodeConnection>;
}

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;
const heartbeat = 10_000;
/** By this a node is known as one of ours. */
const runtimeVersion = 'simulated://1';
const capacity = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '1Ti' };

interface SimulatedNode {
  readonly name: string;
  readonly address: string;
}

function nodeAt(index: number): SimulatedNode {
  return { name: `node-${index + 1}`, address: `10.77.${Math.floor(index / 250)}.${(index % 250) + 2}` };
}

function conditions(now: string): NodeCondition[] {
  const at = { lastHeartbeatTime: now, lastTransitionTime: now };
  return [
    {
      type: 'MemoryPressure',
      status: 'False',
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      ...at,
    },
    {
      type: 'DiskPressure',
      status: 'False',
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      ...at,
    },
    {
      type: 'PIDPressure',
      status: 'False',
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
      ...at,
    },
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'the simulated node takes pods', ...at },
  ];
}

function nodeObject({ name }: SimulatedNode): Node {
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': 'amd64',
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} };
}

function nodeStatus({ name, address }: SimulatedNode, now: string): object {
  return {
    capacity,
    allocatable: capacity,
    conditions: conditions(now),
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: runtimeVersion,
      kernelVersion: 'simulated',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.37.2',
      machineID: name,
      operatingSystem: 'linux',
      osImage: 'simulated',
      systemUUID: name,
    },
  };
}

/** Nodes that an earlier start left in the cluster. */
async function leftNodes(client: Client, wanted: readonly SimulatedNode[]): Promise<SimulatedNode[]> {
  const names = new Set(wanted.map(({ name }) => name));
  const left: SimulatedNode[] = [];
  for await (const { metadata, status } of client.of(Node).listAll()) {
    if (names.has(metadata.name) || status?.nodeInfo?.containerRuntimeVersion !== runtimeVersion) continue;
    const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
    left.push({ name: metadata.name, address });
  }
  return left;
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Removes nodes, and the pods on them without waiting: there is nobody to stop them. */
async function removeNodes(client: Client, nodes: readonly SimulatedNode[]): Promise<void> {
  const names = new Set(nodes.map(({ name }) => name));
  for (const name of names) await client.of(Node).delete({ name }).catch(ignoreGone);
  for (const name of names) await client.of(Lease).delete({ namespace: leaseNamespace, name }).catch(ignoreGone);
  for await (const pod of client.of(Pod).listAll())
    if (names.has(pod.spec?.nodeName ?? ''))
      await client.of(Pod).delete(keyOf(pod), { gracePeriodSeconds: 0 }).catch(ignoreGone);
}

/** Registers the nodes and keeps their leases fresh. */
class NodeHeartbeats implements Runnable {
  readonly name = 'node-heartbeats';
  readonly #manager: Manager;
  readonly #nodes: SimulatedNode[];
  readonly #addresses = new Map<string, string>();
  readonly #keep: boolean;
  #timer: Timer | undefined;

  readonly #onNode: (name: string) => void;

  /** @param onNode told of each node before it is in the cluster */
  constructor(manager: Manager, count: number, keep: boolean, onNode: (name: string) => void) {
    this.#manager = manager;
    this.#onNode = onNode;
    this.#nodes = Array.from({ length: count }, (_, i) => nodeAt(i));
    this.#keep = keep;
  }

  /** The address of a node, if it is one of ours. */
  addressOf(name: string): string | undefined {
    return this.#addresses.get(name);
  }

  async start(): Promise<void> {
    const left = await leftNodes(this.#manager.client, this.#nodes);
    if (this.#keep) this.#nodes.push(...left);
    else await removeNodes(this.#manager.client, left);
    for (const { name, address } of this.#nodes) {
      this.#addresses.set(name, address);
      this.#onNode(name);
    }
    for (const node of this.#nodes) await this.#register(node);
    await this.#beat();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #register(node: SimulatedNode): Promise<void> {
    const { client, clock } = this.#manager;
    await createIfMissing(client, nodeObject(node));
    const status = nodeStatus(node, formatTime(clock.now()));
    await client.of(Node).patch({ name: node.name }, strategic({ status }), { subresource: 'status' });
  }

  async #beat(): Promise<void> {
    const { client, clock, log } = this.#manager;
    this.#timer = clock.after(heartbeat, () => void this.#beat());
    for (const { name } of this.#nodes) {
      const renewTime = formatMicroTime(clock.now());
      await renew(client, name, renewTime).catch((error: unknown) => {
        log.warn({ node: name, error: String(error) }, 'could not renew the lease of a simulated node');
      });
    }
  }
}

async function createIfMissing(client: Client, node: Node): Promise<void> {
  await client
    .of(Node)
    .create(node)
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}

async function renew(client: Client, node: string, renewTime: string): Promise<void> {
  const key = { namespace: leaseNamespace, name: node };
  const leases = client.of(Lease);
  const lease = await leases.find(key);
  const spec = { holderIdentity: node, leaseDurationSeconds: leaseSeconds, renewTime };
  if (lease) await leases.update({ ...lease, spec });
  else await leases.create({ metadata: key, spec });
}

/** Adds simulated nodes and the kubelet of all of them to the control plane's manager. */
export function simulatedNodes(manager: Manager, options: SimulatedNodesOptions): void {
  const { count, keep = false, behaviour, programs, connections } = options;
  const connect = (node: string) => {
    const pods = () => [...manager.cache.store(Pod).list()].filter(({ spec }) => spec?.nodeName === node);
    const serve = nodeServer({ node, pods });
    const sandboxOf = (pod: PodReference) => kubelet.sandboxOf(pod);
    connections?.set(node, new SimulatedConnection({ node, sandboxOf, serve }));
  };
  const nodes = new NodeHeartbeats(manager, count, keep, connect);
  const kubelet = new Kubelet({
    random: manager.random,
    recorder: controllerRecorder(manager, 'kubelet'),
    nodeAddress: (node) => nodes.addressOf(node),
    ...(behaviour ? { behaviour } : {}),
    ...(programs ? { programs } : {}),
  });
  manager.add(nodes);
  manager.controller(Pod, 'kubelet').run(kubelet);
}
