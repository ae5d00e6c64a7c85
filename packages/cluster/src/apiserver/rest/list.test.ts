import type { DynamicObject, KubeList } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { configMap, configMaps, createTestApi, names, type TestApi } from './test-api.ts';

type List = KubeList<DynamicObject>;

/** a to e, at revisions 2 to 6. */
async function filled(): Promise<TestApi> {
  const api = await createTestApi();
  for (const name of ['c', 'a', 'e', 'b', 'd']) {
    await api.ok('POST', configMaps, { body: configMap(name, {}, { labels: { odd: String('ace'.includes(name)) } }) });
  }
  return api;
}

const list = (api: TestApi, query: Record<string, string> = {}, path = configMaps) =>
  api.ok<List>('GET', path, { query });

describe('list', () => {
  it('answers objects in order with the revision of the store', async () => {
    const api = await filled();
    const all = await list(api);
    expect(all).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '6' } });
    expect(all.metadata).toEqual({ resourceVersion: '6' });
    expect(names(all)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(all.items[0]).toBe(await api.ok('GET', `${configMaps}/a`));
    expect(Object.isFrozen(all.items)).toBe(true);
  });

  it('pages through one snapshot', async () => {
    const api = await filled();
    const first = await list(api, { limit: '2' });
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.metadata).toMatchObject({ resourceVersion: '6', remainingItemCount: 3 });
    await api.ok('DELETE', `${configMaps}/d`);
    await api.ok('POST', configMaps, { body: configMap('bb') });
    const second = await list(api, { limit: '2', continue: first.metadata.continue ?? '' });
    expect(names(second)).toEqual(['c', 'd']);
    const third = await list(api, { limit: '2', continue: second.metadata.continue ?? '' });
    expect(names(third)).toEqual(['e']);
    expect(third.metadata).toEqual({ resourceVersion: '6' });
  });

  it('counts no remaining items under a selector, and fills pages', async () => {
    const api = await filled();
    const first = await list(api, { limit: '2', labelSelector: 'odd=true' });
    expect(names(first)).toEqual(['a', 'c']);
    expect(first.metadata.remainingItemCount).toBeUndefined();
    const next = await list(api, { limit: '2', labelSelector: 'odd=true', continue: first.metadata.continue ?? '' });
    expect(names(next)).toEqual(['e']);
    expect(next.metadata.continue).toBeUndefined();
  });

  it('selects by fields', async () => {
    const api = await filled();
    expect(names(await list(api, { fieldSelector: 'metadata.name=c' }))).toEqual(['c']);
    expect(
      names(await list(api, { fieldSelector: 'metadata.name!=c,metadata.namespace=default' }, '/api/v1/configmaps')),
    ).toEqual(['a', 'b', 'd', 'e']);
    expect(names(await list(api, { fieldSelector: 'metadata.name=c', labelSelector: 'odd=false' }))).toEqual([]);
    expect(names(await list(api, { fieldSelector: 'metadata.namespace=other' }, '/api/v1/configmaps'))).toEqual([]);
  });

  it('reads the past and waits for the near future as the matrix says', async () => {
    const api = await filled();
    const exact = await list(api, { resourceVersion: '4', resourceVersionMatch: 'Exact' });
    expect([names(exact), exact.metadata.resourceVersion]).toEqual([['a', 'c', 'e'], '4']);
    expect(names(await list(api, { resourceVersion: '4', limit: '2' }))).toEqual(['a', 'c']);
    expect(names(await list(api, { resourceVersion: '4' }))).toHaveLength(5);
    expect(
      names(await list(api, { resourceVersion: '4', resourceVersionMatch: 'NotOlderThan', limit: '4' })),
    ).toHaveLength(4);
    expect(names(await list(api, { resourceVersion: '0', limit: '2' }))).toHaveLength(5);
    const future = list(api, { resourceVersion: '7' });
    await api.ok('POST', configMaps, { body: configMap('f') });
    await api.clock.advance(1_000);
    expect(names(await future)).toHaveLength(6);
  });

  it('refuses what the matrix does not have', async () => {
    const api = await filled();
    const { metadata } = await list(api, { limit: '1' });
    const token = metadata.continue ?? '';
    const tries: Record<string, string>[] = [
      { resourceVersionMatch: 'Exact' },
      { resourceVersion: '0', resourceVersionMatch: 'Exact' },
      { resourceVersion: '4', resourceVersionMatch: 'Sometimes' },
      { resourceVersion: '4', resourceVersionMatch: 'Exact', continue: token },
      { sendInitialEvents: 'true' },
    ];
    for (const query of tries) {
      expect(await api.fails('GET', configMaps, { query })).toMatchObject({
        code: 422,
        details: { kind: 'ListOptions' },
      });
    }
    expect((await api.fails('GET', configMaps, { query: { resourceVersion: '4', continue: token } })).code).toBe(400);
  });

  it('answers expired tokens with one that goes on at now', async () => {
    const api = await filled();
    const { metadata } = await list(api, { limit: '2' });
    await api.ok('POST', configMaps, { body: configMap('cc') });
    api.storage.compact(api.storage.revision);
    const status = await api.fails('GET', configMaps, { query: { limit: '2', continue: metadata.continue ?? '' } });
    expect(status).toMatchObject({ code: 410, reason: 'Expired' });
    const rest = await list(api, { continue: status.metadata.continue ?? '' });
    expect(names(rest)).toEqual(['c', 'cc', 'd', 'e']);
    expect(
      await api.fails('GET', configMaps, { query: { resourceVersion: '3', resourceVersionMatch: 'Exact' } }),
    ).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });
});

describe('get', () => {
  it('stops waiting when the client gives up', async () => {
    const api = await filled();
    const abort = new AbortController();
    const late = api.fails('GET', `${configMaps}/a`, { query: { resourceVersion: '99' }, signal: abort.signal });
    await api.clock.advance(100);
    abort.abort();
    expect(await late).toMatchObject({ code: 504, reason: 'Timeout' });
    expect(api.clock.untilNext).toBeUndefined();
  });

  it('waits at most three seconds for a version', async () => {
    const api = await filled();
    expect((await api.ok('GET', `${configMaps}/a`, { query: { resourceVersion: '3' } })).metadata.name).toBe('a');
    const late = api.fails('GET', `${configMaps}/a`, { query: { resourceVersion: '99' } });
    await api.clock.advance(3_000);
    expect(await late).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: Too large resource version: 99, current: 6',
      details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
  });
});
