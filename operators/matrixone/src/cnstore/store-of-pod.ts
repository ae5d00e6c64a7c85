import type { Pod } from '@coxswain/k8s';
import { type CNSet, cnSetNames, LABEL_INSTANCE, logSetNames, PORT_LOG_SERVICE } from '../api/index.ts';
import { cnStoreUuid } from '../identity/index.ts';
import type { CnStore } from './service.ts';

const ended: ReadonlySet<string | undefined> = new Set(['Failed', 'Succeeded']);

/** The compute node in a pod, as its cluster knows it. */
export function storeOfPod(pod: Pod, set: CNSet | undefined): CnStore {
  const { namespace = '', name, labels } = pod.metadata;
  const reference = set?.deps?.logSet?.metadata;
  const logSet = { namespace: reference?.namespace || namespace, name: reference?.name ?? '' };
  const haKeeper = set?.deps?.externalLogSet?.haKeeperEndpoint || (logSet.name ? haKeeperOf(logSet) : undefined);
  return {
    logSet,
    ...(haKeeper ? { haKeeper } : {}),
    uuid: cnStoreUuid(name, cnSetNames(labels?.[LABEL_INSTANCE] ?? '').headless, namespace),
    podName: name,
    // That of one that has ended may be another one's by now.
    podIP: ended.has(pod.status?.phase) ? undefined : pod.status?.podIP,
  };
}

/** Where a log service's HAKeeper is found: `host:port` of the Service in front of its stores. */
export function haKeeperOf({ namespace, name }: CnStore['logSet']): string {
  return `${logSetNames(name).discovery}.${namespace}.svc:${PORT_LOG_SERVICE}`;
}
