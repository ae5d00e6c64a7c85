// Sharding: the keys of one controller over several replicas, with a Lease for each part, so that no key is worked by two. Knows
// the client and the election, and nothing of controllers.
export { shardOf, shardsFor } from './assign.ts';
export { checkSharding, type SharderOptions, type ShardHandlers, type ShardingOptions } from './options.ts';
export { Sharder } from './sharder.ts';
