import type { WatchEvent } from './transport.ts';

/** On the bookmark behind the last of the objects that a watch began with. */
export const initialEventsEnd = 'k8s.io/initial-events-end';

/** Tells that all objects of a list have come, and of which version it is. */
export function listEnd(resourceVersion: string): WatchEvent {
  const annotations = { [initialEventsEnd]: 'true' };
  return { type: 'BOOKMARK', object: { metadata: { name: '', resourceVersion, annotations } } };
}
