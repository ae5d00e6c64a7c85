import { ConfigMap, Deployment, Namespace, Pod } from '@coxswain/k8s';
import { isReady, workload } from '../build.ts';
import type { Scenario } from '../types.ts';

const removed: Scenario = {
  name: 'delete-namespace',
  async run(stage) {
    await stage.create(Deployment, workload('web', 2));
    await stage.create(ConfigMap, { metadata: { name: 'held', finalizers: ['example.com/wait'] } });
    await stage.until('both pods are ready', () => stage.all(Pod).filter(isReady).length === 2);
    await stage.delete(Namespace, stage.namespace);
    await stage.until('all pods are gone', () => stage.all(Pod).length === 0);
    await stage.until('it says what is left', () =>
      (stage.seen(Namespace, stage.namespace)?.status?.conditions ?? []).some(
        ({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True',
      ),
    );
    await stage.patch(ConfigMap, 'held', { metadata: { finalizers: null } });
    await stage.until('it is gone', () => !stage.seen(Namespace, stage.namespace));
  },
};

export const namespaces: readonly Scenario[] = [removed];
