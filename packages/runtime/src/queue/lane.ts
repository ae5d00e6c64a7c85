/**
 * Why a key waits, most urgent first:
 * - `user`: the object itself was changed;
 * - `child`: something it owns or watches was changed;
 * - `requeue`: it asked to be called again, or is retried after an error;
 * - `resync`: nothing happened; it is the first listing or the periodic look.
 */
export type Lane = 'user' | 'child' | 'requeue' | 'resync';

/** All lanes, most urgent first. */
export const lanes: readonly Lane[] = ['user', 'child', 'requeue', 'resync'];

const ranks: Readonly<Record<Lane, number>> = { user: 0, child: 1, requeue: 2, resync: 3 };

/** 0 for the most urgent lane. */
export const rankOf = (lane: Lane): number => ranks[lane];
