import type { Pod } from '@coxswain/k8s';
import { type CNSet, cnSetNames, LABEL_INSTANCE } from '../api/index.ts';
import { cnStoreUuid } from '../identity/index.ts';
import type { CnStore } from './service.ts';

/** The compute node in a pod, as its cluster knows it. */
export function storeOfPod(pod: Pod, set: CNSet | undefined): CnStore {
  const { namespace = '', name, labels } = pod.metadata;
  const logSet = set?.deps?.logSet?.metadata;
  return {
    logSet: { namespace: logSet?.namespace || namespace, name: logSet?.name ?? '' },
    uuid: cnStoreUuid(name, cnSetNames(labels?.[LABEL_INSTANCE] ?? '').headless, namespace),
    podName: name,
    podIP: pod.status?.podIP,
  };
}
