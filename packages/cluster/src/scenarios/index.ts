/**
 * What is done to a cluster by its users and by fate, played on a real Kubernetes with nodes and on the embedded one; what was to be
 * seen of all objects must be the same. `recordings` has what the real one showed. Knows clusters by their client only.
 */
export { allowanceFor } from './allowed.ts';
export { compareRecordings, type Difference } from './compare.ts';
export { embeddedGround } from './embedded-ground.ts';
export { liveGround } from './live-ground.ts';
export { play } from './play.ts';
export { loadRecording, saveRecording } from './recordings.ts';
export { scenarios } from './scripts/index.ts';
export type { Ground, Recording, Scenario } from './types.ts';
