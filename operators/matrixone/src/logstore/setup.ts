import { type KubeObject, Pod } from '@coxswain/k8s';
import { isReady } from '@coxswain/runtime/apply';
import type { InformerScope } from '@coxswain/runtime/cache';
import { generationChanged, type Predicate } from '@coxswain/runtime/controller';
import type { ObjectKey } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { LABEL_COMPONENT, LABEL_INSTANCE, LogSet } from '../api/index.ts';
import { LeaderNotes } from './leader-notes.ts';
import type { LogKeeper } from './log-keeper.ts';

/** Clusters looked at at the same time: those that do not answer cost 10 s each, and the others shall not wait for them. */
const workers = 64;

/** Stores that begin or cease to run are when leaders change. */
const runs: Predicate<KubeObject> = (event) =>
  event.type !== 'updated' || isReady(event.object) !== isReady(event.previous);

/**
 * Adds the controller that notes which log stores lead.
 * @param wake is told of each LogSet whose condition of silence does not fit what is known
 * @param scope of the pods that are watched; others of the manager may share it
 */
export function setupLogStores(
  manager: Manager,
  keeper: LogKeeper,
  wake: (key: ObjectKey) => void,
  scope: InformerScope = {},
): void {
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
    .run(new LeaderNotes(keeper, wake));
}
