/**
 * What a spec may not say (`spec/matrixone.md` §4.2), as pure functions over defaulted specs. Controllers tell it in a
 * condition instead of failing half-way; admission refuses it. Knows nothing of either.
 */
export { clusterProblems } from './cluster.ts';
export { longestSetName, setNameProblems } from './names.ts';
export { below, describeProblems, type Problem } from './problems.ts';
export { cnSetProblems, dnSetProblems, logSetProblems, proxySetProblems, webUIProblems } from './sets.ts';
export { clusterUpdateProblems, cnSetUpdateProblems, dnSetUpdateProblems, logSetUpdateProblems } from './updates.ts';
