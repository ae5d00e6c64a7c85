/** What pods of compute nodes tell of their load, as JSON; others read it. */
export const ANNOTATION_SCORE = 'matrixorigin.io/score';
/** Sessions and pipelines together. */
export const ANNOTATION_CONNECTIONS = 'matrixorigin.io/connections';
/** Kubernetes' own: pods that cost less go first. */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** OpenKruise's own: whoever sets it wants just this pod to go. */
export const KRUISE_SPECIFIED_DELETE = 'apps.kruise.io/specified-delete';

/** Secret with the user that dashboards read a cluster's metrics with. */
export function metricSecretName(cluster: string): string {
  return `${cluster}-metric`;
}
