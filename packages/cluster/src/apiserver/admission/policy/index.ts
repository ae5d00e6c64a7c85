/**
 * Admission policies: expressions in the cluster that refuse writes. Knows policies, their bindings and parameters in storage;
 * what a write is for them is in `matching/`. The expression engine is loaded with the first policy that is asked.
 */
export { type PolicyContext, validatingPolicies } from './validating.ts';
