import { type KubeObject, Pod } from '@coxswain/k8s';
import { isReady } from '@coxswain/runtime/apply';
import type { InformerScope } from '@coxswain/runtime/cache';
import { generationChanged, type Predicate } from '@coxswain/runtime/controller';
import type { Manager } from '@coxswain/runtime/manager';
import { LABEL_COMPONENT, LABEL_INSTANCE, LogSet } from '../api/index.ts';
import type { CnStoreService } from '../cnstore/index.ts';
import { LeaderNotes } from './leader-notes.ts';

/** Clusters looked at at the same time: those that do not answer cost 10 s each, and the others shall not wait for them. */
const workers = 64;

/** Stores that begin or cease to run are when leaders change. */
const runs: Predicate<KubeObject> = (event) =>
  event.type !== 'updated' || isReady(event.object) !== isReady(event.previous);

/**
 * Adds the controller that notes which log stores lead; none, when nobody can be asked.
 * @param scope of the pods that are watched; others of the manager may share it
 */
export function setupLogStores(manager: Manager, service: CnStoreService, scope: InformerScope = {}): void {
  const { logStores } = service;
  if (!logStores) return;
  manager
    .controller(LogSet, 'logstore')
    .watches(Pod, {
      scope,
      where: runs,
      map: ({ metadata: { namespace, labels } }) => {
        const name = labels?.[LABEL_INSTANCE];
        return labels?.[LABEL_COMPONENT] === 'LogSet' && name && namespace ? [{ namespace, name }] : [];
      },
    })
    .where(generationChanged)
    .options({ workers })
    .run(new LeaderNotes(logStores.bind(service)));
}
