/**
 * Which writes a webhook or a policy is for, and what of a write its expressions see. Knows rules, selectors and versions of
 * resources; nothing of calls or decisions. `expressions.ts` is loaded by those who have expressions to evaluate.
 */
export { inVersion, nameIn, namespaceOf, prepareVersion, prepareVersions } from './attributes.ts';
export { type Criteria, isExempt, matchedResource, readCriteria, textsAt } from './criteria.ts';
export { requestOf } from './request.ts';
