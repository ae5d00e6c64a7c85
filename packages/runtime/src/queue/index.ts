// Work queue: which key is to be worked next, and when. Knows keys as text only: no objects, no client, no cache.
export { type Lane, lanes } from './lane.ts';
export { queueMetrics } from './metrics.ts';
export { type Backoff, checkPace, type QueueObserver, type QueueOptions, type RateLimit } from './options.ts';
export { type Outcome, type Taken, WorkQueue } from './work-queue.ts';
