import type { Conversion } from '../../types.ts';
import { copyJson } from '../shared/draft.ts';

/** Names of the same fields: in `events.k8s.io/v1`, and in the stored core form. */
const fields: readonly (readonly [served: string, stored: string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

function renamed(object: Readonly<Record<string, unknown>>, from: 0 | 1, apiVersion: string): Record<string, unknown> {
  const names = new Map(fields.map((pair) => [pair[from], pair[from === 0 ? 1 : 0]]));
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) result[names.get(key) ?? key] = copyJson(value);
  result.apiVersion = apiVersion;
  return result;
}

/** `events.k8s.io/v1` events are core events under newer names. */
export const eventsConversion: Conversion = {
  toStored(event) {
    const stored = renamed(event, 0, 'v1');
    stored.reportingComponent ??= '';
    stored.reportingInstance ??= '';
    return stored;
  },
  fromStored(event) {
    const served = renamed(event, 1, 'events.k8s.io/v1');
    // The core form always has these two, the newer one only when they say something.
    for (const key of ['reportingController', 'reportingInstance']) if (served[key] === '') delete served[key];
    return served;
  },
};
