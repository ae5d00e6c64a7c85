/**
 * The Pod Security Standards: what pods must not do, by the labels of their namespace. The checks know pod specs; `standard.ts`
 * the labels; only `pod-security.ts` and `namespace-change.ts` look into storage.
 */
export { podSecurity } from './pod-security.ts';
