/**
 * What objects use of a namespace's share: sums of resources, and what each kind is charged for. Pure; knows the built-in kinds
 * and nothing of servers or clients. Admission charges by it, the quota controller counts by it.
 */
export {
  type Amounts,
  addTo,
  amountsAt,
  amountsText,
  only,
  sumOf,
  zero,
} from './amounts.ts';
export { type Evaluator, evaluatorFor } from './evaluators.ts';
export { containerAmounts, podAmounts } from './pod-resources.ts';
export { isSelected, type ScopeSelector, selectorsOf } from './scopes.ts';
export { type ReadJson, specOf } from './spec-of.ts';
