import type { DynamicObject } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { configMap, configMaps, createTestApi, pod, pods, type TestApi, widget, widgets } from './test-api.ts';

const merge = 'application/merge-patch+json';
const initial = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };

async function filled(): Promise<TestApi> {
  const api = await createTestApi();
  for (const name of ['b', 'a']) await api.ok('POST', configMaps, { body: configMap(name) });
  return api;
}

describe('watch: where it starts', () => {
  it.each<Record<string, string>>([{}, { resourceVersion: '0' }])(
    'sends the present objects, then changes: %o',
    async (query) => {
      const api = await filled();
      const watch = await api.watch(configMaps, query);
      expect(watch.take()).toEqual(['ADDED a', 'ADDED b']);
      await api.ok('POST', configMaps, { body: configMap('c') });
      await api.ok('DELETE', `${configMaps}/a`);
      expect(watch.take()).toEqual(['ADDED c', 'DELETED a']);
    },
  );

  it('continues strictly after a version, with the past in one batch', async () => {
    const api = await filled();
    const watch = await api.watch(configMaps, { resourceVersion: '2' });
    await api.ok('POST', configMaps, { body: configMap('c') });
    expect(watch.take()).toEqual(['ADDED a', 'ADDED c']);
    expect(watch.batches.map((batch) => batch.length)).toEqual([1, 1]);
  });

  it('stays silent until a future version has passed', async () => {
    const api = await filled();
    const watch = await api.watch(configMaps, { resourceVersion: '4' });
    await api.ok('POST', configMaps, { body: configMap('c') });
    expect(watch.take()).toEqual([]);
    await api.ok('POST', configMaps, { body: configMap('d') });
    expect(watch.take()).toEqual(['ADDED d']);
  });

  it('ends initial events with a marked bookmark when bookmarks are allowed', async () => {
    const api = await filled();
    const watch = await api.watch(configMaps, { ...initial, allowWatchBookmarks: 'true' });
    const bookmark = watch.events.at(-1)?.object;
    expect(bookmark).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: '3', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(watch.take()).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK end']);
    expect((await api.watch(configMaps, initial)).take()).toEqual(['ADDED a', 'ADDED b']);
    expect(
      (await api.watch(configMaps, { ...initial, resourceVersion: '2', allowWatchBookmarks: 'true' })).take(),
    ).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK end']);
  });

  it('sends changes only when initial events are refused', async () => {
    const api = await filled();
    for (const resourceVersion of ['', '0']) {
      const watch = await api.watch(configMaps, { ...initial, sendInitialEvents: 'false', resourceVersion });
      await api.ok('POST', configMaps, { body: { metadata: { generateName: 'x-' } } });
      expect(watch.take()).toHaveLength(1);
    }
  });

  it('answers 200 and one ERROR when the version is too old', async () => {
    const api = await filled();
    api.storage.compact(api.storage.revision);
    const watch = await api.watch(configMaps, { resourceVersion: '1' });
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
    expect(watch.ended).toBe(true);
  });

  it('refuses options that do not go together', async () => {
    const api = await filled();
    const tries: Record<string, string>[] = [
      { sendInitialEvents: 'true' },
      { resourceVersionMatch: 'NotOlderThan' },
      { sendInitialEvents: 'true', resourceVersionMatch: 'Exact' },
    ];
    for (const query of tries) {
      expect(await api.fails('GET', configMaps, { query: { ...query, watch: 'true' } })).toMatchObject({
        code: 422,
        details: { group: 'meta.k8s.io', kind: 'ListOptions' },
      });
    }
  });

  it('serves the old /watch/ prefix', async () => {
    const api = await filled();
    expect((await api.watch('/api/v1/watch/namespaces/default/configmaps')).take()).toEqual(['ADDED a', 'ADDED b']);
    expect((await api.watch('/api/v1/watch/namespaces/default/configmaps/b')).take()).toEqual(['ADDED b']);
    expect((await api.watch('/api/v1/watch/configmaps')).take()).toEqual(['ADDED a', 'ADDED b']);
  });
});

describe('watch: what it sends', () => {
  it('sends the stored objects themselves, the same to all', async () => {
    const api = await filled();
    const [one, two] = [await api.watch(configMaps), await api.watch(configMaps)];
    const object = await api.ok('POST', configMaps, { body: configMap('c') });
    expect(one.events.at(-1)?.object).toBe(object);
    expect(two.events.at(-1)?.object).toBe(object);
  });

  it('turns selector transitions into ADDED, MODIFIED and DELETED with the content before', async () => {
    const api = await createTestApi();
    const watches = [
      await api.watch(configMaps, { labelSelector: 'on=yes' }),
      await api.watch(configMaps, { labelSelector: 'on=yes' }),
    ];
    await api.ok('POST', configMaps, { body: configMap('a', { step: '1' }) });
    const patch = (body: object) => api.ok('PATCH', `${configMaps}/a`, { body, contentType: merge });
    await patch({ metadata: { labels: { on: 'yes' } }, data: { step: '2' } });
    await patch({ data: { step: '3' } });
    const left = await patch({ metadata: { labels: { on: 'no' } }, data: { step: '4' } });
    await api.ok('DELETE', `${configMaps}/a`);
    const [events, others] = watches.map((watch) => watch.events.map((event) => event.object as DynamicObject));
    expect(watches[0]?.take()).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(events?.[2]).toMatchObject({
      data: { step: '3' },
      metadata: { labels: { on: 'yes' }, resourceVersion: left.metadata.resourceVersion },
    });
    expect(others?.[2]).toBe(events?.[2]);
  });

  it('follows field selectors', async () => {
    const api = await createTestApi();
    const watch = await api.watch(pods, { fieldSelector: 'status.phase=Running' });
    const named = await api.watch(pods, { fieldSelector: 'metadata.name=q' });
    for (const name of ['p', 'q']) await api.ok('POST', pods, { body: pod(name) });
    const patch = (phase: string) =>
      api.ok('PATCH', `${pods}/p/status`, { body: { status: { phase } }, contentType: merge });
    await patch('Running');
    await patch('Failed');
    expect(watch.take()).toEqual(['ADDED p', 'DELETED p']);
    expect(named.take()).toEqual(['ADDED q']);
  });

  it('ends with the last state and the revision of the deletion', async () => {
    const api = await filled();
    const watch = await api.watch(configMaps, { resourceVersion: '3' });
    await api.ok('DELETE', `${configMaps}/a`);
    expect(watch.events).toMatchObject([
      { type: 'DELETED', object: { metadata: { name: 'a', resourceVersion: '4' } } },
    ]);
  });

  it('stays in its namespace', async () => {
    const api = await createTestApi();
    const watch = await api.watch(configMaps);
    const all = await api.watch('/api/v1/configmaps');
    await api.ok('POST', '/api/v1/namespaces/other/configmaps', { body: configMap('x') });
    expect(watch.take()).toEqual([]);
    expect(all.take()).toEqual(['ADDED x']);
  });

  it('projects to metadata, sharing the results', async () => {
    const api = await createTestApi();
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const watches = [await api.watch(widgets, {}, { accept }), await api.watch(widgets, {}, { accept })];
    await api.ok('POST', widgets, { body: widget('w', { size: 1 }) });
    const [one, two] = watches.map((watch) => watch.events[0]?.object);
    expect(one).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'w' } });
    expect(one).not.toHaveProperty('spec');
    expect(two).toBe(one);
  });
});

describe('watch: how it goes on and ends', () => {
  it('sends bookmarks each minute and two seconds before the deadline, only when asked', async () => {
    const api = await filled();
    const watch = await api.watch(configMaps, {
      resourceVersion: '3',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '100',
    });
    const quiet = await api.watch(configMaps, { resourceVersion: '3', timeoutSeconds: '100' });
    await api.clock.advance(60_000);
    expect(watch.take()).toEqual(['BOOKMARK']);
    await api.clock.advance(37_000);
    expect(watch.take()).toEqual([]);
    await api.clock.advance(1_000);
    expect(watch.take()).toEqual(['BOOKMARK']);
    expect(watch.ended).toBe(false);
    await api.clock.advance(2_000);
    expect([watch.ended, quiet.ended, quiet.take()]).toEqual([true, true, []]);
  });

  it('ends by itself between 30 and 60 minutes', async () => {
    const api = await filled();
    const watch = await api.watch(configMaps);
    await api.clock.advance(30 * 60_000 - 1);
    expect(watch.ended).toBe(false);
    await api.clock.advance(30 * 60_000 + 1);
    expect(watch.ended).toBe(true);
  });

  it('leaves nothing behind when cancelled or aborted', async () => {
    const api = await filled();
    const abort = new AbortController();
    const watches = [await api.watch(configMaps), await api.watch(configMaps, {}, { signal: abort.signal })];
    watches[0]?.cancel();
    abort.abort();
    for (const watch of watches) {
      watch.take();
      expect(watch.ended).toBe(true);
    }
    await api.ok('POST', configMaps, { body: configMap('z') });
    expect(watches.flatMap((watch) => watch.take())).toEqual([]);
    expect(api.clock.untilNext).toBeUndefined();
  });
});
