/**
 * What the volumes of a pod are made of, for the node it runs on, or what is missing for that.
 * Knows objects of the cluster and the contract of runtimes; never touches a file: making the volumes is the runtime's.
 */
export { dependenciesOf, watchDependencies } from './dependencies.ts';
export { PodVolumes, type VolumeProblem, type VolumeResolution } from './pod-volumes.ts';
export { sameContent } from './same-content.ts';
