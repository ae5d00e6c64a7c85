import type { MatrixOneClusterSpec } from '../api/index.ts';
import { LATEST_OPERATOR_VERSION } from '../version/index.ts';
import { canonicalSpec } from './canonical.ts';
import type { DefaultServiceArgs } from './options.ts';
import { defaultCNGroup, defaultDNSet, defaultLogSet } from './sets.ts';

/** The spec of a MatrixOneCluster with every default filled in, but for the operator version. */
export function defaultCluster(given: MatrixOneClusterSpec, args: DefaultServiceArgs): MatrixOneClusterSpec {
  const spec = canonicalSpec(given);
  return {
    ...spec,
    logService: defaultLogSet(spec.logService, args),
    ...(spec.tn ? { tn: defaultDNSet(spec.tn, args) } : {}),
    ...(spec.dn ? { dn: defaultDNSet(spec.dn, args) } : {}),
    ...(spec.tp ? { tp: defaultCNGroup(spec.tp, args) } : {}),
    ...(spec.ap ? { ap: defaultCNGroup(spec.ap, args) } : {}),
    ...(spec.cnGroups ? { cnGroups: spec.cnGroups.map((group) => defaultCNGroup(group, args)) } : {}),
  };
}

/**
 * The operator version a cluster is pinned to when it is created without one. Existing clusters without one are never
 * pinned: raising it would restart their pods.
 */
export function initialOperatorVersion(spec: Pick<MatrixOneClusterSpec, 'operatorVersion'>): string {
  return spec.operatorVersion ?? LATEST_OPERATOR_VERSION;
}
