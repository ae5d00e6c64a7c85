import type { CustomResourceDefinition, Kind } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { Backup, resources } from './api/index.ts';
import { setupBackups } from './backup/index.ts';
import { setupBuckets } from './buckets/index.ts';
import { setupControllers } from './controllers/index.ts';
import type { MatrixOneOptions } from './options.ts';
import { setupPools } from './pools/index.ts';
import { operatorRules } from './rbac.ts';
import { setupWebUI } from './webui/index.ts';

/** Those that have a controller. */
const acted: readonly Kind[] = resources.filter((kind) => kind !== Backup);

/** The MatrixOne operator: what to install, and what to run. */
export const matrixoneOperator = {
  name: 'matrixone',
  /** Manifests of its CRDs. */
  crds(): readonly CustomResourceDefinition[] {
    return resources.map((resource) => resource.crd());
  },
  /** The kinds that it acts on. */
  kinds: acted,
  /** What it must be allowed to do. */
  rules: () => operatorRules,
  /** Adds its controllers to a manager. */
  setup(manager: Manager, options: MatrixOneOptions = {}): void {
    setupControllers(manager, options);
    if (options.pools !== false) setupPools(manager, options);
    setupBuckets(manager, options.buckets);
    setupWebUI(manager);
    setupBackups(manager, options);
  },
};
