/**
 * Pod templates, workloads, services and claims of each role: pure functions from a set's (defaulted) spec.
 * Live pods restart when a template changes, so orders and spellings are part of the contract (`spec/matrixone.md` §2.3).
 * Knows nothing of clients or of when things are written.
 */
export { claimTemplates, dataVolumeSize, keptClaimTemplates, type VolumeChange, volumeChange } from './claims.ts';
export { cnLabelAnnotation, cnSetTemplate, cnSetWorkload } from './cnset.ts';
export { logDisruptionBudget, proxyDisruptionBudget } from './disruption.ts';
export { dnSetTemplate, dnSetWorkload } from './dnset.ts';
export { claimRetention, logSetTemplate, logSetWorkload, type StoreScaling } from './logset.ts';
export { overlayContainer, overlayPod } from './overlay.ts';
export { proxySetTemplate, proxySetWorkload } from './proxyset.ts';
export { pullCause } from './pull-cause.ts';
export {
  cnHeadlessService,
  cnService,
  dnHeadlessService,
  dnMetricService,
  logDiscoveryService,
  logHeadlessService,
  logMetricService,
  proxyService,
  type SetKey,
} from './services.ts';
export { topologySpread } from './template.ts';
export { configMapVolume, readOnlyMount } from './volumes.ts';
export type { ClaimRetention } from './workload.ts';
