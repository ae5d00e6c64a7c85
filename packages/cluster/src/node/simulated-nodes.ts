import { Lease, Node, type NodeCondition, Pod } from '@coxswain/k8s';
import { type Client, strategic } from '@coxswain/runtime/client';
import { formatMicroTime, formatTime, isAlreadyExists, type Timer } from '@coxswain/runtime/core';
import type { Manager, Runnable } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../controllers/workload/recorder.ts';
import type { PodBehaviour } from './behaviour.ts';
import { Kubelet } from './kubelet.ts';

export interface SimulatedNodesOptions {
  /** How many; named `node-1` … */
  readonly count: number;
  readonly behaviour?: PodBehaviour;
}

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;
const heartbeat = 10_000;
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
      containerRuntimeVersion: 'simulated://1',
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

/** Registers the nodes and keeps their leases fresh. */
class NodeHeartbeats implements Runnable {
  readonly name = 'node-heartbeats';
  readonly #manager: Manager;
  readonly #nodes: readonly SimulatedNode[];
  #timer: Timer | undefined;

  constructor(manager: Manager, nodes: readonly SimulatedNode[]) {
    this.#manager = manager;
    this.#nodes = nodes;
  }

  async start(): Promise<void> {
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
  const nodes = Array.from({ length: options.count }, (_, i) => nodeAt(i));
  const addresses = new Map(nodes.map(({ name, address }) => [name, address]));
  const kubelet = new Kubelet({
    random: manager.random,
    recorder: controllerRecorder(manager, 'kubelet'),
    nodeAddress: (node) => addresses.get(node),
    ...(options.behaviour ? { behaviour: options.behaviour } : {}),
  });
  manager.add(new NodeHeartbeats(manager, nodes));
  manager.controller(Pod, 'kubelet').run(kubelet);
}
