/**
 * What the containers of a pod are started with: their variables and their command, with all references replaced.
 * Knows objects of the cluster and the contract of runtimes; nothing of programs or files of the node.
 */
export { type ContainerEnvironment, containerEnvironment, type EnvironmentSources } from './container-environment.ts';
export type { ReadVolumeFile } from './env-file.ts';
export { expand, type Lookup } from './expand.ts';
export { missingEnvironment } from './missing.ts';
