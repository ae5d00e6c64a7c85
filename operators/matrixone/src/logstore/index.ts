/**
 * Log stores one by one: which of them lead, as HAKeeper tells it, noted on their pods for people. Whom to ask is the same `CnStoreService` as for
 * compute nodes, so that a cluster is asked by one alone; nothing depends on the answer, and nothing waits for it.
 */
export { setupLogStores } from './setup.ts';
