import type { CustomResourceDefinition, Kind } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from './api/index.ts';
import { setupControllers } from './controllers/index.ts';
import type { MatrixOneOptions } from './options.ts';
import { operatorRules } from './rbac.ts';

/** The kinds that have a controller: a kind nobody acts on is better refused than ignored. */
const resources = [MatrixOneCluster, LogSet, DNSet, CNSet, ProxySet] as const;

/** The MatrixOne operator: what to install, and what to run. */
export const matrixoneOperator = {
  name: 'matrixone',
  /** Manifests of its CRDs. */
  crds(): readonly CustomResourceDefinition[] {
    return resources.map((resource) => resource.crd());
  },
  /** The kinds that users write. */
  kinds: resources as readonly Kind[],
  /** What it must be allowed to do. */
  rules: () => operatorRules,
  /** Adds its controllers to a manager. */
  setup(manager: Manager, options: MatrixOneOptions = {}): void {
    setupControllers(manager, options);
  },
};
