/**
 * Manifests made from what an operator declares: permissions for now. It knows kinds and rules; it reads no cluster.
 */
export { normalizeRules } from './normalize-rules.ts';
export { type RbacDeclaration, type RbacRules, rbacOf } from './rbac-of.ts';
export { rulesOf } from './rules-of.ts';
