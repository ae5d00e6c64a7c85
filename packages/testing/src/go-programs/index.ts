/**
 * Real programs, built from published Go modules into a cache folder: those of Kubernetes, which the embedded cluster is compared with,
 * and an S3 server.
 * Nothing that `./cox test` needs may depend on them.
 */
export { GoMissingError } from './build-program.ts';
export { buildGoPrograms, goProgramPath, missingGoPrograms } from './go-programs.ts';
export { type GoProgram, kubernetesVersion } from './recipes.ts';
