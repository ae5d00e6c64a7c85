import { matrixoneOperator, unmanagedCnStores } from '@coxswain/operator-matrixone';
import type { Operator } from '@coxswain/runtime/manager';

/**
 * The operators that `cox up` runs in its own process. Names of Services do not lead from there to pods, so nobody asks HAKeeper: compute
 * nodes serve as soon as they are ready, and go without handing sessions over.
 */
export const operators: readonly Operator[] = [
  { ...matrixoneOperator, setup: (manager) => matrixoneOperator.setup(manager, { cnStores: unmanagedCnStores }) },
];
