import type { DynamicObject, KubeList } from '@coxswain/k8s';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configMap, configMaps, createTestApi, type Recording, type TestApi } from './test-api.ts';

const merge = 'application/merge-patch+json';

/** One step of a random history. Names and labels are few, so that they meet often. */
const step = fc.oneof(
  fc.record({
    op: fc.constant('put' as const),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    on: fc.constantFrom('yes', 'no'),
    value: fc.nat(3),
  }),
  fc.record({ op: fc.constant('delete' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({ op: fc.constant('hold' as const), name: fc.constantFrom('a', 'b', 'c', 'd'), held: fc.boolean() }),
  fc.record({
    op: fc.constant('watch' as const),
    query: fc.constantFrom<Record<string, string>>(
      {},
      { labelSelector: 'on=yes' },
      { labelSelector: 'on!=yes' },
      { fieldSelector: 'metadata.name=b' },
    ),
    start: fc.constantFrom('unset', 'any', 'listed', 'initial'),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Watcher {
  readonly query: Record<string, string>;
  readonly recording: Recording;
  /** What the watcher knew before its first event. */
  readonly known: Map<string, DynamicObject>;
}

async function list(api: TestApi, query: Record<string, string>): Promise<KubeList<DynamicObject>> {
  return api.ok<KubeList<DynamicObject>>('GET', configMaps, { query });
}

async function startWatch(api: TestApi, { query, start }: Extract<Step, { op: 'watch' }>): Promise<Watcher> {
  const known = new Map<string, DynamicObject>();
  let options: Record<string, string> = {};
  if (start === 'any') options = { resourceVersion: '0' };
  if (start === 'initial')
    options = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
  if (start === 'listed') {
    const { items, metadata } = await list(api, query);
    for (const item of items) known.set(item.metadata.name, item);
    options = { resourceVersion: metadata.resourceVersion ?? '' };
  }
  return { query, known, recording: await api.watch(configMaps, { ...query, ...options }) };
}

async function run(api: TestApi, one: Step): Promise<void> {
  switch (one.op) {
    case 'put': {
      const body = configMap(one.name, { value: String(one.value) }, { labels: { on: one.on } });
      const made = await api.ask('POST', configMaps, { body });
      if (made.code === 409) await api.ask('PATCH', `${configMaps}/${one.name}`, { body, contentType: merge });
      return;
    }
    case 'delete':
      await api.ask('DELETE', `${configMaps}/${one.name}`);
      return;
    case 'hold': {
      const body = { metadata: { finalizers: one.held ? ['example.com/hold'] : null } };
      await api.ask('PATCH', `${configMaps}/${one.name}`, { body, contentType: merge });
      return;
    }
  }
}

/** What a client that follows the events believes in, checking that each event makes sense to it. */
function replay({ recording, known }: Watcher): Map<string, DynamicObject> {
  const state = new Map(known);
  let last = 0;
  let initial = known.size === 0;
  for (const { type, object } of recording.events) {
    const { metadata } = object as DynamicObject;
    if (type === 'BOOKMARK') initial = false;
    else {
      const version = Number(metadata.resourceVersion);
      // Present objects come in order of name; from then on revisions only grow.
      if (type !== 'ADDED') initial = false;
      if (!initial) expect(version).toBeGreaterThan(type === 'ADDED' ? 0 : last);
      last = Math.max(last, version);
      expect(state.has(metadata.name)).toBe(type !== 'ADDED');
      if (type === 'DELETED') state.delete(metadata.name);
      else state.set(metadata.name, object as DynamicObject);
    }
  }
  return state;
}

describe('watch, any history', () => {
  it('leads every watcher to what a list with its selectors says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const api = await createTestApi();
        const watchers: Watcher[] = [];
        for (const one of steps) {
          if (one.op === 'watch') watchers.push(await startWatch(api, one));
          else await run(api, one);
        }
        for (const watcher of watchers) {
          const { items } = await list(api, watcher.query);
          const state = replay(watcher);
          expect([...state.keys()].sort()).toEqual(items.map((item) => item.metadata.name));
          for (const item of items) expect(state.get(item.metadata.name)).toBe(item);
        }
      }),
      { numRuns: 150 },
    );
  });
});
