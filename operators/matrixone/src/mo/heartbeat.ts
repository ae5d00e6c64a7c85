/** Ticks of HAKeeper in a second, unless it was configured otherwise. */
const ticksPerSecond = 10;

/** Milliseconds since a store's last heartbeat; stores send one each second, and are expired after 10 s (TN), 30 s (CN) and 5 min (log). */
export function heartbeatAge(now: { readonly tick: bigint }, store: { readonly tick: bigint }): number {
  return Math.max(0, (Number(now.tick - store.tick) / ticksPerSecond) * 1000);
}
