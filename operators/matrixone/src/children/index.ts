/** What a MatrixOneCluster is made of: the sets it writes and its first user. Knows nothing of pods or clients. */
export { credentialOf } from './credential.ts';
export { metricPasswordLength, metricReaderOf, metricReaderStatements } from './metric-reader.ts';
export { cnGroupsOf, cnSetOf, dnSetOf, logSetOf, type NamedGroup, proxySetOf, webUIOf } from './sets.ts';
