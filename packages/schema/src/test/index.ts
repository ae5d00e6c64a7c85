/**
 * For tests: a resource in which every word of the builder is used, and a property that converters have to hold.
 * Needs fast-check.
 */
export { Everything } from './everything.ts';
export { type RoundTripOptions, roundTrip } from './round-trip.ts';
