/**
 * Admission policies: expressions in the cluster that change writes, or refuse them. Knows policies, their bindings and parameters
 * in storage; what a write is for them is in `matching/`. The expression engine is loaded with the first policy that is asked.
 */
export type { PolicyContext } from './invocations.ts';
export { mutatingPolicies } from './mutating.ts';
export { installPolicyStatus } from './policy-status.ts';
export { validatingPolicies } from './validating.ts';
