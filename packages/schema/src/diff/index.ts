/** What the upgrade of a CRD breaks, change by change. It knows schemas and manifests, and nothing of clusters or files. */
export type { Change, ChangeRule } from './change.ts';
export { diffCrd } from './diff-crd.ts';
