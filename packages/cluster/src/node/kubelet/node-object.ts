import type { Node, NodeCondition, NodeStatus } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { NodeSpec } from './managed-node.ts';

const wells: readonly (readonly [string, string, string])[] = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
];

/** A node as it introduces itself. */
export function nodeObject({ name, labels, taints, podCIDR }: NodeSpec): Node {
  const platform = { os: 'linux', arch: 'amd64' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': platform.os,
        'kubernetes.io/arch': platform.arch,
        'beta.kubernetes.io/os': platform.os,
        'beta.kubernetes.io/arch': platform.arch,
        ...labels,
      },
      // said by every kubelet, and by the controller that tells kubelets how long they may keep what they have read
      annotations: {
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
    },
    spec: {
      ...(podCIDR ? { podCIDR, podCIDRs: [podCIDR] } : {}),
      ...(taints?.length ? { taints } : {}),
    },
  };
}

/** @param before what the cluster has of it: times of conditions that stay as they are are kept */
export function nodeStatus(spec: NodeSpec, before: NodeStatus | undefined, now: number): NodeStatus {
  const { name, address, capacity, runtime, kernel, osImage } = spec;
  const heartbeat = formatTime(now);
  const condition = (type: string, status: string, reason: string, message: string): NodeCondition => {
    const known = before?.conditions?.find((one) => one.type === type);
    const lastTransitionTime =
      known?.status === status && known.lastTransitionTime ? known.lastTransitionTime : heartbeat;
    return { type, status, reason, message, lastHeartbeatTime: heartbeat, lastTransitionTime };
  };
  return {
    capacity,
    allocatable: capacity,
    conditions: [
      ...wells.map(([type, reason, message]) => condition(type, 'False', reason, message)),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: runtime.version,
      kernelVersion: kernel,
      kubeProxyVersion: '',
      kubeletVersion: 'v1.37.2',
      machineID: name,
      operatingSystem: 'linux',
      osImage,
      systemUUID: name,
    },
  };
}
