import type { DynamicObject, KubeList } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import {
  configMap,
  configMaps,
  createTestApi,
  deployment,
  deployments,
  names,
  pod,
  pods,
  type TestApi,
} from './test-api.ts';

const merge = 'application/merge-patch+json';
const held = (name: string) => configMap(name, {}, { finalizers: ['example.com/hold'] });

async function patchFinalizers(api: TestApi, path: string, finalizers: string[] | null) {
  return api.ok('PATCH', path, { body: { metadata: { finalizers } }, contentType: merge });
}

describe('delete', () => {
  it('answers a Status with the identity of what is gone', async () => {
    const api = await createTestApi();
    const { metadata } = await api.ok('POST', configMaps, { body: configMap('a') });
    expect(await api.ok('DELETE', `${configMaps}/a`)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
    });
    expect((await api.fails('DELETE', `${configMaps}/a`)).code).toBe(404);
    await api.ok('POST', deployments, { body: deployment('d') });
    expect(await api.ok('DELETE', `${deployments}/d`)).toMatchObject({
      details: { group: 'apps', kind: 'deployments' },
    });
  });

  it('marks an object with finalizers and removes it with the last of them', async () => {
    const api = await createTestApi();
    await api.ok('POST', deployments, {
      body: deployment('d', {}, { finalizers: ['example.com/hold', 'example.com/too'] }),
    });
    const path = `${deployments}/d`;
    const marked = await api.ok('DELETE', path);
    expect(marked.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    const revision = api.storage.revision;
    await api.clock.advance(5_000);
    expect(await api.ok('DELETE', path)).toBe(marked);
    expect(api.storage.revision).toBe(revision);
    const watch = await api.watch(deployments, { resourceVersion: String(revision) });
    await patchFinalizers(api, path, ['example.com/too']);
    const last = await patchFinalizers(api, path, null);
    expect(last.metadata.finalizers).toBeUndefined();
    expect(watch.take()).toEqual(['MODIFIED d', 'DELETED d']);
    expect((await api.fails('GET', path)).code).toBe(404);
  });

  it('takes no new finalizers while deleting', async () => {
    const api = await createTestApi();
    await api.ok('POST', configMaps, { body: held('a') });
    await api.ok('DELETE', `${configMaps}/a`);
    const body = { metadata: { finalizers: ['example.com/hold', 'example.com/new'] } };
    expect(await api.fails('PATCH', `${configMaps}/a`, { body, contentType: merge })).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'metadata.finalizers', reason: 'FieldValueForbidden' }] },
    });
  });

  it('says so when its name is wanted again', async () => {
    const api = await createTestApi();
    await api.ok('POST', configMaps, { body: held('a') });
    await api.ok('DELETE', `${configMaps}/a`);
    expect(await api.fails('POST', configMaps, { body: configMap('a') })).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: configmaps "a" already exists',
    });
  });

  it('cannot be undone by an update', async () => {
    const api = await createTestApi();
    await api.ok('POST', configMaps, { body: held('a') });
    await api.ok('DELETE', `${configMaps}/a`);
    const { metadata } = await api.ok('PUT', `${configMaps}/a`, { body: held('a') });
    expect(metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 });
  });

  it('keeps the propagation policy as a finalizer', async () => {
    const api = await createTestApi();
    for (const name of ['f', 'o', 'b', 'old']) await api.ok('POST', configMaps, { body: configMap(name) });
    const remove = (name: string, body: object) => api.ask('DELETE', `${configMaps}/${name}`, { body });
    expect(await remove('f', { propagationPolicy: 'Foreground' })).toMatchObject({
      code: 200,
      body: { metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: '2026-01-01T00:00:00Z' } },
    });
    expect(await remove('o', { propagationPolicy: 'Orphan' })).toMatchObject({
      body: { metadata: { finalizers: ['orphan'] } },
    });
    expect(await remove('b', { propagationPolicy: 'Background' })).toMatchObject({ body: { kind: 'Status' } });
    expect(await remove('old', { orphanDependents: true })).toMatchObject({
      code: 200,
      body: { metadata: { finalizers: ['orphan'] } },
    });
    expect(await remove('f', { propagationPolicy: 'Background' })).toMatchObject({ body: { kind: 'Status' } });
    await api.ok('POST', configMaps, { body: held('stays') });
    expect((await remove('stays', { orphanDependents: false })).code).toBe(202);
  });

  it('reads its options from the query when there is no body', async () => {
    const api = await createTestApi();
    await api.ok('POST', configMaps, { body: configMap('a') });
    const query = { propagationPolicy: 'Foreground', dryRun: 'All' };
    expect(await api.ok('DELETE', `${configMaps}/a`, { query })).toMatchObject({
      metadata: { finalizers: ['foregroundDeletion'] },
    });
    expect((await api.ok('GET', `${configMaps}/a`)).metadata.deletionTimestamp).toBeUndefined();
  });

  it('uses the default policy of the kind', async () => {
    const [any] = (await import('./test-api.ts')).testResources;
    if (!any) throw new Error('no test resources');
    const jobs = {
      ...any,
      group: 'batch',
      kind: 'Job',
      plural: 'jobs',
      storage: 'batch/jobs',
      strategy: { defaultPropagation: 'Orphan' as const },
    };
    const api = await createTestApi({ resources: [jobs] });
    const path = '/apis/batch/v1/namespaces/default/jobs';
    await api.ok('POST', path, { body: { metadata: { name: 'j' } } });
    expect(await api.ok('DELETE', `${path}/j`)).toMatchObject({ metadata: { finalizers: ['orphan'] } });
  });
});

describe('graceful delete', () => {
  it('waits out the grace period, which may only be shortened', async () => {
    const api = await createTestApi();
    await api.ok('POST', pods, { body: pod('p') });
    const path = `${pods}/p`;
    const first = await api.ok('DELETE', path);
    expect(first.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 });
    expect(await api.ok('DELETE', path)).toBe(first);
    expect(await api.ok('DELETE', path, { body: { gracePeriodSeconds: 60 } })).toBe(first);
    const shorter = await api.ok('DELETE', path, { body: { gracePeriodSeconds: 10 } });
    expect(shorter.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
    });
    await api.clock.advance(20_000);
    const late = await api.ok('DELETE', path, { body: { gracePeriodSeconds: 5 } });
    expect(late.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 1 });
    const watch = await api.watch(pods, { resourceVersion: String(api.storage.revision) });
    const gone = await api.ok('DELETE', path, {
      body: { gracePeriodSeconds: 0, preconditions: { uid: first.metadata.uid } },
    });
    expect(gone).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } });
    expect(watch.take()).toEqual(['MODIFIED p', 'DELETED p']);
    expect((await api.fails('GET', path)).code).toBe(404);
  });

  it('lets finalizers hold it longer', async () => {
    const api = await createTestApi();
    await api.ok('POST', pods, { body: pod('p', {}, { finalizers: ['example.com/hold'] }) });
    const object = await api.ok('DELETE', `${pods}/p`, { body: { gracePeriodSeconds: 0 } });
    expect(object.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['example.com/hold'] });
    await patchFinalizers(api, `${pods}/p`, null);
    expect((await api.fails('GET', `${pods}/p`)).code).toBe(404);
  });

  it('counts negative grace as one second', async () => {
    const api = await createTestApi();
    await api.ok('POST', pods, { body: pod('p') });
    const { metadata } = await api.ok('DELETE', `${pods}/p`, { body: { gracePeriodSeconds: -5 } });
    expect(metadata.deletionGracePeriodSeconds).toBe(1);
  });
});

describe('deletecollection', () => {
  it('deletes what is selected and answers it as a list', async () => {
    const api = await createTestApi();
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const) {
      await api.ok('POST', configMaps, { body: configMap(name, {}, { labels: { app } }) });
    }
    const query = { labelSelector: 'app=x' };
    const removed = await api.ok<KubeList<DynamicObject>>('DELETE', configMaps, { query });
    expect(removed.kind).toBe('ConfigMapList');
    expect(names(removed)).toEqual(['a', 'c']);
    expect(names(await api.ok<KubeList<DynamicObject>>('GET', configMaps))).toEqual(['b']);
  });

  it('takes DeleteOptions in its body', async () => {
    const api = await createTestApi();
    await api.ok('POST', configMaps, { body: configMap('a') });
    await api.ok('DELETE', configMaps, { body: { kind: 'DeleteOptions', propagationPolicy: 'Foreground' } });
    expect((await api.ok('GET', `${configMaps}/a`)).metadata.finalizers).toEqual(['foregroundDeletion']);
  });
});
