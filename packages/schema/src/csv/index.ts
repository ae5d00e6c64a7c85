/** What a ClusterServiceVersion of the Operator Lifecycle Manager says of kinds. Knows resources and their schemas, nothing of bundles. */
export type { CsvHints, UiHints } from './hints.ts';
export { type CsvDescriptor, type OwnedCrd, ownedCrds } from './owned-crds.ts';
