import type { ConfigMap, Pod } from '@coxswain/k8s';
import {
  ANNOTATION_POOL_MANAGEMENT_POLICY,
  CONDITION_CN_STORE,
  LABEL_CLAIMED_BY,
  LABEL_DIRECT_POD,
  LABEL_PHASE,
  setLabels,
} from '../api/index.ts';

/**
 * Pod `own` in `default` as somebody else makes one for the claim `one`: it says whose it is from the start.
 * @param set name of the CNSet that it counts to
 * @param agent who made it: without an owner, OpenKruise would take it for one of its own, and for one too many
 */
export function directPod(set: string, agent: ConfigMap, labels: Readonly<Record<string, string>> = {}): Pod {
  const { uid = '', name } = agent.metadata;
  return {
    metadata: {
      namespace: 'default',
      name: 'own',
      labels: {
        ...setLabels('CNSet', 'default', set),
        ...labels,
        [LABEL_DIRECT_POD]: 'y',
        [LABEL_PHASE]: 'Bound',
        [LABEL_CLAIMED_BY]: 'one',
      },
      annotations: { [ANNOTATION_POOL_MANAGEMENT_POLICY]: 'Pooling' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }],
    },
    spec: {
      containers: [{ name: 'main', image: 'matrixorigin/matrixone:2.1.0' }],
      readinessGates: [{ conditionType: CONDITION_CN_STORE }],
    },
  };
}
