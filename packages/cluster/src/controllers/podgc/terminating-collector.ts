import { Node, Pod } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler } from '@coxswain/runtime/controller';
import { failAndDelete } from './fail-and-delete.ts';

const outOfService = 'node.kubernetes.io/out-of-service';

function isLost({ spec, status }: Node): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  return !ready && (spec?.taints?.some(({ key }) => key === outOfService) ?? false);
}

/** Ends pods that are to go and have nobody to stop them: those without a node, and those whose node is out of service. */
export const terminatingCollector: Reconciler = {
  async reconcile(context: ReconcileContext) {
    const { cache, key } = context;
    const pod = cache.store(Pod).get(key);
    if (!pod?.metadata.deletionTimestamp) return undefined;
    const name = pod.spec?.nodeName;
    const node = name ? cache.store(Node).get({ name }) : undefined;
    if (!name || (node && isLost(node))) await failAndDelete(context, pod);
    return undefined;
  },
};
