/**
 * Real programs of Kubernetes, built from published Go modules into a cache folder: what the embedded cluster is compared with.
 * Nothing that `./cox test` needs may depend on them.
 */
export { GoMissingError } from './build-program.ts';
export { buildGoPrograms, goProgramPath, missingGoPrograms } from './go-programs.ts';
export { type GoProgram, kubernetesVersion } from './recipes.ts';
