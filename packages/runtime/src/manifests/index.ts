/**
 * Manifests made from what an operator declares: its permissions. It knows kinds and rules; it reads no cluster.
 */
export { type RbacObjectsOptions, type RbacRules, rbacObjects } from '../apply/index.ts';
export { normalizeRules } from './normalize-rules.ts';
export { type ControllerDeclaration, type RbacDeclaration, rbacOf } from './rbac-of.ts';
export { rulesOf } from './rules-of.ts';
