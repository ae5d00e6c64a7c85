/**
 * rbac: records what a client asked for, and compares it with what rules allow, so that a test fails when an operator does what its
 * role does not let it do, or its role lets it do what it never does. Knows requests and rules; neither servers nor operators.
 */
export { missingRules } from './missing-rules.ts';
export { type RbacRecorder, type RbacUse, recordRbac } from './record-rbac.ts';
export { unusedRules } from './unused-rules.ts';
