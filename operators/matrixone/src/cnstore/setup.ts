import { Pod } from '@coxswain/k8s';
import type { InformerScope } from '@coxswain/runtime/cache';
import { createRecorder } from '@coxswain/runtime/events';
import type { Manager } from '@coxswain/runtime/manager';
import { CNSet, LABEL_COMPONENT, LogSet, MatrixOneCluster } from '../api/index.ts';
import { Elapsed } from '../elapsed/index.ts';
import { CnStoreController } from './controller.ts';
import type { CnStoreService } from './service.ts';

/** Nodes looked at at the same time: those that do not answer cost 10 s each, and the others shall not wait for them. */
const workers = 64;

/** Wakes no pod: the next look at it is soon enough. */
const nobody = () => [];

/**
 * Adds the controller of the compute nodes' pods to a manager.
 * @param scope of the pods that are watched; others of the manager may share it
 */
export function setupCnStores(manager: Manager, service: CnStoreService, scope: InformerScope = {}): void {
  const { client, clock, random, log, name } = manager;
  const recorder = createRecorder({
    client,
    clock,
    random,
    log,
    reporter: { controller: name, instance: `${name}-cnstore` },
  });
  manager.add({ name: 'cnstore-events', start: () => Promise.resolve(), stop: () => recorder.stop() });
  manager
    .controller(Pod, 'cnstore')
    .scope(scope)
    // Only read: but a node whose set or log service is not seen yet is not one whose cluster is gone.
    .watches(CNSet, { map: nobody })
    .watches(LogSet, { map: nobody })
    .watches(MatrixOneCluster, { map: nobody })
    .options({ workers })
    .where(({ object }) => object.metadata.labels?.[LABEL_COMPONENT] === 'CNSet')
    .run(new CnStoreController({ service, recorder, elapsed: new Elapsed(clock) }));
}
