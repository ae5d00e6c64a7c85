/**
 * The parts of `charts/matrixone-operator` that follow from what the operator declares. Knows the operator's kinds and rules, nothing of
 * templates and values; the tests here hold the charts to it, with the real Helm.
 */
export { chartFiles } from './chart-files.ts';
