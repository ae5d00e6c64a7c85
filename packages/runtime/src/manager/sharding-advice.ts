/**
 * What is wrong with an election, or without one, beside controllers whose keys are shared out; `undefined`: nothing. Shards need none,
 * each has a Lease; whatever else must run once among several replicas does.
 * @param led what waits for leadership
 */
export function shardingAdvice(elects: boolean, led: readonly string[]): string | undefined {
  if (elects && led.length === 0)
    return 'all controllers are sharded, so nothing waits for the election, and a replica that loses it stops its shards, too; leave it out';
  if (!elects && led.length > 0)
    return `there is no election, so each replica that shares in the shards also runs ${led.join(', ')} whole; give createManager an "election", or these "sharding", or "leaderOnly: false" when that is meant`;
  return undefined;
}
