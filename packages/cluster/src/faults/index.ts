/**
 * faults: a server that fails on purpose, by rule. It stands around the handler, so clients in this process and over HTTPS
 * get the same. It must not know the kinds, the store or the wire: a broken connection is an error that each door acts out.
 */
export { type CompactOptions, faultRoute } from './fault-route.ts';
export { createFaults, type FaultInjector, type FaultInjectorOptions } from './injector.ts';
export { parseFaultRule } from './parse-rule.ts';
export { matchesPattern } from './pattern.ts';
export type {
  FaultAction,
  FaultCounts,
  FaultHandle,
  FaultMatch,
  FaultRule,
  Faults,
  FaultWhen,
  Pattern,
  WatchFault,
} from './types.ts';
