import type { ActorContext } from '@coxswain/runtime/actor';
import { formatTime, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { BucketClaim } from '../api/index.ts';
import { type BucketUser, useBucket } from './use.ts';

const clock = new VirtualClock();
const claim = {
  metadata: { namespace: 'default', name: 'bucket-a', resourceVersion: '1' },
  status: { bindTo: 'default/mo', state: 'InUse' },
} as BucketClaim;

/** What becomes of the mark of a set of this age, when the server knows the set so. */
async function marked(age: number, now: object | undefined): Promise<string> {
  const metadata = { namespace: 'default', name: 'd', uid: 'd', creationTimestamp: formatTime(clock.now() - age) };
  const object: BucketUser = { metadata, deps: { logSet: { metadata: { namespace: 'default', name: 'mo' } } } };
  let writes = 0;
  const resource = { find: () => Promise.resolve(now), patch: () => Promise.resolve(writes++) };
  const { signal } = new AbortController();
  const store = () => ({ list: () => [claim] });
  const context = { client: { of: () => resource }, clock, object, signal, store };
  const end = await useBucket(context as unknown as ActorContext<BucketUser>, 'DN').catch(String);
  return writes > 0 ? 'marked' : String(end);
}

test('a set that is old is marked only when the server, too, knows it', async () => {
  const hour = 3_600_000;
  expect(await marked(hour, { metadata: { uid: 'd' } })).toBe('marked');
  expect(await marked(hour, undefined)).toMatch(/DNSet d goes, or is gone/);
});
