import type { Strategy } from '../types.ts';

/** Rules of each kind beyond the plain facts, by `group/plural`. */
export const strategies: Readonly<Record<string, Strategy>> = {};
