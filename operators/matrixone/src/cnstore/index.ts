/**
 * Compute nodes one by one: the readiness gate, the drain before OpenKruise stops a pod, the good-bye. Whom to tell is a
 * `CnStoreService`, chosen by option. Knows nothing of how sets are built.
 */
export { type DrainDecision, decideDrain, drainTimeout } from './drain.ts';
export { UnregisteredNodeError } from './errors.ts';
export { type HaKeeperCnStores, type HaKeeperCnStoresOptions, hakeeperCnStores } from './hakeeper-stores.ts';
export { runsSince } from './main-container.ts';
export { isClusterGone } from './pass.ts';
export { changeMetadata, type MetadataChange } from './pod-writes.ts';
export {
  type CnStore,
  type CnStoreService,
  type LockHandover,
  type LogStoreRecord,
  type StoreLoad,
  type StoreRecord,
  unmanagedCnStores,
} from './service.ts';
export { setupCnStores } from './setup.ts';
export { drainsOf, type Stage, stageOf, storeState } from './stage.ts';
export { haKeeperOf, storeOfPod } from './store-of-pod.ts';
export { takingBack } from './taking-back.ts';
