// Apply: the ways in which a controller writes. Children by server-side apply, finalizers by tested JSON patches, status
// by the smallest merge patch; and conditions. Each function is one write, done so that nothing of others is lost.
// Knows the client and reads the cache; knows nothing of reconciles.
export { ApplyMemory } from './apply-memory.ts';
export { type ApplyOptions, applyObject } from './apply-object.ts';
export {
  type ConditionInput,
  conditionsOf,
  findCondition,
  isReady,
  isTrue,
  isTrueAt,
  removeCondition,
  setCondition,
} from './conditions.ts';
export { contains } from './contains.ts';
export { OwnershipError } from './errors.ts';
export { addFinalizer, type FinalizerOptions, hasFinalizer, removeFinalizer } from './finalizers.ts';
export { type Grant, grant } from './grant.ts';
export { type InstallCrdsOptions, installCrds } from './install-crds.ts';
export { mergeDiff } from './merge-diff.ts';
export { controllerReference, type Owner, ownershipObstacle } from './ownership.ts';
export { type RbacObjectsOptions, rbacObjects } from './rbac-objects.ts';
export type { RbacRules } from './rbac-rules.ts';
export { type StatusOptions, writeStatus } from './status.ts';
