/**
 * Who may do what: RBAC over the roles and bindings in the store, the checks that nobody grants more than they have, and
 * the roles every cluster starts with. It knows users, rules and storage; nothing of how a user was recognised.
 */
export { installAggregation } from './aggregation.ts';
export { attributesOf } from './attributes.ts';
export { controlPlanePolicy, controlPlaneUsers } from './control-plane.ts';
export { uncovered } from './covers.ts';
export { escalationCheck } from './escalation.ts';
export { notPermitted } from './forbidden.ts';
export { autoUpdate as policyAutoUpdate, bootstrapPolicy, objectsOf, type PolicyObject } from './policy.ts';
export { alwaysAllow, RbacAuthorizer } from './rbac.ts';
export { type AccessReview, accessReviews, userStatus } from './reviews.ts';
export { type Attributes, type Authorizer, type Decision, masters, type PolicyRule } from './types.ts';
