import type { ConfigMap } from '@coxswain/k8s';

/** What is there of a set already, and must partly be kept. Empty for a new set. */
export interface LiveSet<W> {
  readonly workload?: W;
  /** The ConfigMap in place, or in legacy mode the one the workload's template mounts. */
  readonly configMap?: ConfigMap;
  /** Values of the config-suffix annotation of the set's pods. */
  readonly suffixes?: ReadonlySet<string>;
}
