/**
 * faults: an operator and a server, each a process of its own, with the fault proxy between them: what breaks, how long until
 * everything is right again, and what it cost. Knows the whole of the kit; the programs know only the framework and the cluster.
 */
export { type FailoverResult, type FailoverWay, failover, failoverWays } from './failover.ts';
export { type HeapSample, heapGrowth, heapMarks } from './heap.ts';
export { type FaultName, faultNames, runFaults } from './run-faults.ts';
export { markdownTable } from './table.ts';
export type { FaultResult, FaultRunOptions } from './types.ts';
