/** Measurements, side by side with peers. Knows everything; nothing knows it. */
export { type KillOptions, type KillResult, killTest } from './kill.ts';
export { median, spread } from './stats.ts';
