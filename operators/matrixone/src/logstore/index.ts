/**
 * Log stores one by one: which of them lead, as HAKeeper tells it, noted on their pods for people. Whom to ask is the same `CnStoreService` as for
 * compute nodes, so that a cluster is asked by one alone. What HAKeeper said last, and for how long it has said nothing, is kept for those who decide by it.
 */
export { LogKeeper, silentUntilTold } from './log-keeper.ts';
export { setupLogStores } from './setup.ts';
