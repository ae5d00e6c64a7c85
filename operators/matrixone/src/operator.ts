import type { CustomResourceDefinition, Kind } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { BucketClaim, CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet, WebUI } from './api/index.ts';
import { setupControllers } from './controllers/index.ts';
import type { MatrixOneOptions } from './options.ts';

const resources = [MatrixOneCluster, LogSet, DNSet, CNSet, ProxySet, WebUI, BucketClaim] as const;

/** The MatrixOne operator: what to install, and what to run. */
export const matrixoneOperator = {
  name: 'matrixone',
  /** Manifests of its CRDs. */
  crds(): readonly CustomResourceDefinition[] {
    return resources.map((resource) => resource.crd());
  },
  /** The kinds that users write. */
  kinds: resources as readonly Kind[],
  /** Adds its controllers to a manager. */
  setup(manager: Manager, options: MatrixOneOptions = {}): void {
    setupControllers(manager, options);
  },
};
