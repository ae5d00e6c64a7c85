import type { PolicyRule } from '@coxswain/k8s';

/** Permissions by where they hold. */
export interface RbacRules {
  /** For a ClusterRole. */
  readonly cluster: readonly PolicyRule[];
  /** For a Role each, by namespace. */
  readonly namespaces: Readonly<Record<string, readonly PolicyRule[]>>;
}
