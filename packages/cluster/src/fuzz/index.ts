/**
 * Broken, odd and hostile requests to the embedded server, made by changing those it is compared by. Whatever comes, it answers, never
 * with a fault of its own, and keeps nothing.
 */
export { type Finding, type FuzzOptions, type FuzzResult, fuzz } from './fuzz.ts';
