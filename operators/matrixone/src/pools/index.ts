/**
 * Compute nodes that are kept ready: pools (`CNPool`), claims to one of their pods (`CNClaim`), and numbers of claims (`CNClaimSet`).
 * What to do is decided by pure functions over pods and claims as they are seen. Knows nothing of how a CNSet becomes pods, nor of
 * MatrixOne's wire protocol.
 */
export { setupPools } from './setup.ts';
