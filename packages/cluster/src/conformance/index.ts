/**
 * The conformance tests of Kubernetes against the embedded cluster: which are in reach, what they came to, and which are known to fail.
 * `./cox test conformance` builds and runs them; nothing here starts anything.
 */
export { knownCause } from './known-failures.ts';
export { resultsOf, type TestResult } from './report.ts';
export { type Tier, testsOf } from './tiers.ts';
