/**
 * perturb: cuts a process off at a chosen write, so that a test can go through every point at which it may die. Knows
 * transports only, neither operators nor what they should come to.
 */
export { type Cut, type CutTransport, cutTransport } from './cut.ts';
