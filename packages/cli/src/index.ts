/** The command line of Coxswain, as functions. Knows all other rooms; none knows it. */
export { UnmetError, UsageError } from './errors.ts';
export { type Applied, applyManifests, displayName } from './manifests/apply.ts';
export { loadManifests, type Manifest } from './manifests/load.ts';
