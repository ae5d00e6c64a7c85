import { type KubeObject, Pod } from '@coxswain/k8s';
import {
  annotationsChanged,
  fieldChanged,
  generationChanged,
  labelsChanged,
  type MapToKeys,
  or,
  statusChanged,
} from '@coxswain/runtime/controller';
import { systemRandom } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import {
  CNClaim,
  CNClaimSet,
  CNPool,
  CNSet,
  FINALIZER_CN_CLAIM,
  FINALIZER_CN_CLAIM_SET,
  FINALIZER_CN_POOL,
  LABEL_CLAIMED_BY,
  LABEL_POOL,
  LogSet,
  MatrixOneCluster,
} from '../api/index.ts';
import { unmanagedCnStores } from '../cnstore/index.ts';
import { childrenOfSets } from '../controllers/index.ts';
import { chartServiceArgs } from '../defaults/index.ts';
import type { MatrixOneOptions } from '../options.ts';
import { CNClaimActor } from './cnclaim.ts';
import { CNClaimSetActor } from './cnclaimset.ts';
import { CNPoolActor } from './cnpool.ts';
import { UnheldPodsController } from './unheld-pods.ts';

const fieldManager = 'matrixone-operator';
const scope = childrenOfSets;

/** Leads from an object to the one in its namespace that a label names. */
function namedBy<T extends KubeObject>(label: string): MapToKeys<T> {
  return ({ metadata: { namespace, labels } }) => {
    const name = labels?.[label];
    return name && namespace ? [{ namespace, name }] : [];
  };
}

/** For kinds that are only read: a controller begins when it has seen them, and what is not seen yet is not taken for gone. */
const nobody = () => [];

const phaseChanged = fieldChanged((claim: CNClaim) => claim.status?.phase);

/** Adds the controllers of pools, claims and claim sets to a manager. */
export function setupPools(manager: Manager, options: MatrixOneOptions = {}): void {
  const cnStores = options.cnStores ?? unmanagedCnStores;
  manager
    .actor(CNPool, new CNPoolActor({ serviceArgs: options.serviceArgs ?? chartServiceArgs }), {
      fieldManager,
      finalizer: FINALIZER_CN_POOL,
      syncedCondition: false,
    })
    .owns(CNSet, { where: or(generationChanged, labelsChanged) })
    .watches(Pod, { scope, where: labelsChanged, map: namedBy(LABEL_POOL) })
    .watches(CNClaim, { where: or(labelsChanged, phaseChanged), map: namedBy(LABEL_POOL) })
    .run();
  const { refreshAfter } = cnStores;
  manager
    .actor(CNClaim, new CNClaimActor({ cnStores }), {
      fieldManager,
      finalizer: FINALIZER_CN_CLAIM,
      syncedCondition: false,
      ...(refreshAfter === undefined ? {} : { resyncAfter: refreshAfter }),
    })
    .watches(Pod, {
      scope,
      where: or(labelsChanged, annotationsChanged, statusChanged),
      map: namedBy(LABEL_CLAIMED_BY),
    })
    .watches(CNPool, { map: nobody })
    .watches(CNSet, { map: nobody })
    .watches(LogSet, { map: nobody })
    .watches(MatrixOneCluster, { map: nobody })
    .run();
  manager
    .controller(CNClaim, 'cn-claim-unheld-pods')
    .watches(Pod, { scope, where: labelsChanged, map: namedBy(LABEL_CLAIMED_BY) })
    .watches(CNSet, { map: nobody })
    .watches(LogSet, { map: nobody })
    .watches(MatrixOneCluster, { map: nobody })
    .run(new UnheldPodsController({ cnStores }));
  manager
    .actor(CNClaimSet, new CNClaimSetActor({ random: options.random ?? systemRandom }), {
      fieldManager,
      finalizer: FINALIZER_CN_CLAIM_SET,
      syncedCondition: false,
    })
    .owns(CNClaim, { where: or(generationChanged, labelsChanged, statusChanged) })
    .watches(Pod, { scope, map: nobody })
    .run();
}
