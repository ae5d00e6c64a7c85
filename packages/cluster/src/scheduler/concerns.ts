import type { Pod } from '@coxswain/k8s';
import { affinityConcerns } from './plugins/inter-pod-affinity.ts';
import { spreadCounts } from './plugins/topology-spread.ts';
import type { Waiting } from './queue.ts';
import type { ClusterState } from './state/cluster-state.ts';
import { podInfo } from './state/pod-info.ts';

/** Whether what has become of `other` may change what a plugin says of a pod that waits: others need not be asked again. */
export function concernedBy(other: Pod, state: ClusterState): (plugin: string, entry: Waiting) => boolean {
  return (plugin, { info }) => {
    const node = state.node(other.spec?.nodeName ?? '');
    switch (plugin) {
      case 'NodeResourcesFit': {
        if (!node) return true;
        const { allocatable, requested } = node;
        const { cpu, memory } = info.requests;
        return cpu <= allocatable.cpu - requested.cpu && memory <= allocatable.memory - requested.memory;
      }
      case 'NodePorts':
        return podInfo(other).hostPorts.length > 0;
      case 'VolumeRestrictions':
        return podInfo(other).namespace === info.namespace;
      case 'PodTopologySpread':
        return spreadCounts(info, podInfo(other));
      case 'InterPodAffinity':
        return affinityConcerns(info, podInfo(other), state);
      default:
        return true;
    }
  };
}
