/** A log store on the way of a rollout, by rising ordinal among the others. */
export interface RollingStore {
  /** Its pod is there, whatever is the matter with it. */
  readonly isThere: boolean;
  /** Its pod is as the newest template says, or is becoming so. */
  readonly isUpdated: boolean;
  readonly isReady: boolean;
  /** Ready, and since then heard of by HAKeeper with all its replicas. */
  readonly isBack: boolean;
  /** Whether without it a shard would lack a majority, by what HAKeeper says of the others. */
  isNeeded(): boolean;
}

/**
 * How many stores, counted from the lowest ordinal, must stay as they are; OpenKruise updates the others from the highest down. The next one goes
 * only when all others are back, and there is a majority of each shard without it: one that replaced another is back long before it has replicas.
 * Whether it is back itself does not matter: a rollout whose first store did not come up is mended by another one. Nor do the others when it is
 * not even ready, as it costs nothing then. 0: nobody is held.
 */
export function heldStores(stores: readonly RollingStore[]): number {
  const next = stores.findLastIndex(({ isUpdated }) => !isUpdated);
  if (next === -1 || !stores.some(({ isThere }) => isThere)) return 0;
  const isMissed = stores.some(({ isBack }, at) => !isBack && at !== next);
  const costs = !stores[next]?.isThere || stores[next]?.isReady;
  return (isMissed || stores[next]?.isNeeded()) && costs ? next + 1 : next;
}
