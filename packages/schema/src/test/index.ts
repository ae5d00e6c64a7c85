/**
 * For tests: a resource in which every word of the builder is used, definitions to judge, and a property that converters have to hold.
 * Needs fast-check.
 */
export { type CrdCase, crdCases, crdOfCase } from '../check/test/crd-cases.ts';
export { Everything } from './everything.ts';
export { type RoundTripOptions, roundTrip } from './round-trip.ts';
