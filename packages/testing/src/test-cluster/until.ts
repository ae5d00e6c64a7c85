import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { type Clock, keyString, type ObjectKey, sleep } from '@coxswain/runtime/core';
import { TestTimeout } from './errors.ts';
import { passUntil } from './pass-time.ts';
import type { WaitOptions } from './types.ts';

/** Milliseconds until a broken watch is opened again. */
const pause = 50;

interface Wanted<T extends KubeObject> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: Kind<T>;
  readonly key: ObjectKey;
  readonly holds: (object: T | undefined) => boolean;
}

/** See {@link TestCluster.until}. */
export async function until<T extends KubeObject>(
  wanted: Wanted<T>,
  { timeout = 30_000, what }: WaitOptions = {},
): Promise<T | undefined> {
  const { clock, kind, key } = wanted;
  const abort = new AbortController();
  const last: { seen?: T | undefined; error?: unknown } = {};
  const timer = clock.after(timeout, () => {
    const name = what ?? `what is waited for of ${resourceName(kind)} ${keyString(key)}`;
    const state = last.seen ? JSON.stringify(last.seen, bigints).slice(0, 2_000) : 'not there';
    abort.abort(
      new TestTimeout(`${name} does not hold after ${timeout / 1000}s; it is ${state}`, { cause: last.error }),
    );
  });
  const note = (object: T | undefined) => {
    last.seen = object;
    return wanted.holds(object);
  };
  try {
    return await passUntil(clock, follow(wanted, note, last, abort.signal), timeout + pause);
  } finally {
    timer.cancel();
    abort.abort();
  }
}

/** Lists and watches until `note` says that it is enough; again when the watch ends or breaks. */
async function follow<T extends KubeObject>(
  { client, clock, kind, key }: Wanted<T>,
  note: (object: T | undefined) => boolean,
  last: { error?: unknown },
  signal: AbortSignal,
): Promise<T | undefined> {
  const selection = { fields: { 'metadata.name': key.name }, ...(key.namespace ? { namespace: key.namespace } : {}) };
  for (;;) {
    try {
      const list = await client.of(kind).list({ ...selection, signal });
      const [present] = list.items;
      if (note(present)) return present;
      const from = list.metadata.resourceVersion;
      const stream = await client.of(kind).watch({ ...selection, ...(from ? { resourceVersion: from } : {}), signal });
      for await (const events of stream) {
        for (const event of events) {
          if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue;
          const object = event.type === 'DELETED' ? undefined : event.object;
          if (note(object)) return object;
        }
      }
    } catch (error) {
      last.error = error;
    }
    signal.throwIfAborted();
    await sleep(clock, pause, signal);
  }
}

const bigints = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
