/**
 * What an absent field means (`spec/matrixone.md` §4.1), as pure functions. Admission applies them to what is stored and
 * the controllers to what they read, so that objects stored without admission behave the same and nobody fights over a
 * field.
 */
export { canonicalSpec } from './canonical.ts';
export { defaultCluster, initialOperatorVersion } from './cluster.ts';
export { chartServiceArgs, type DefaultServiceArgs } from './options.ts';
export { defaultCNGroup, defaultCNSet, defaultDNSet, defaultLogSet, defaultProxySet } from './sets.ts';
