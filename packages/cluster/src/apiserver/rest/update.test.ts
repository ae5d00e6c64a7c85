import type { MutableJson } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import {
  configMap,
  configMaps,
  createTestApi,
  deployment,
  deployments,
  pods,
  testResources,
  widget,
  widgets,
} from './test-api.ts';

const merge = 'application/merge-patch+json';

describe('update', () => {
  it('replaces all but what the server owns', async () => {
    const api = await createTestApi();
    const before = await api.ok('POST', configMaps, { body: configMap('a', { x: '1' }, { labels: { l: '1' } }) });
    const after = await api.ok('PUT', `${configMaps}/a`, {
      body: configMap('a', { y: '2' }, { creationTimestamp: '2001-01-01T00:00:00Z', generation: 77, selfLink: '/x' }),
    });
    expect(after.data).toEqual({ y: '2' });
    expect(after.metadata).toMatchObject({
      uid: before.metadata.uid,
      creationTimestamp: before.metadata.creationTimestamp,
      resourceVersion: '3',
    });
    expect(after.metadata).not.toHaveProperty('labels');
    expect(after.metadata).not.toHaveProperty('generation');
    expect(after.metadata).not.toHaveProperty('selfLink');
  });

  it('makes no revision and no event when nothing changes', async () => {
    const api = await createTestApi();
    const before = await api.ok('POST', configMaps, { body: configMap('a', { x: '1' }) });
    await api.clock.advance(5_000);
    expect(await api.ok('PUT', `${configMaps}/a`, { body: before })).toBe(before);
    expect(await api.ok('PATCH', `${configMaps}/a`, { body: { data: { x: '1' } }, contentType: merge })).toBe(before);
    expect(api.storage.revision).toBe(2);
  });

  it('counts generations for changes outside metadata and status', async () => {
    const api = await createTestApi();
    await api.ok('POST', deployments, { body: deployment('d', { replicas: 1 }) });
    const patch = async (path: string, body: object) =>
      (await api.ok('PATCH', path, { body, contentType: merge })).metadata.generation;
    expect(await patch(`${deployments}/d`, { metadata: { labels: { a: 'b' }, generation: 50 } })).toBe(1);
    expect(await patch(`${deployments}/d`, { spec: { replicas: 2 } })).toBe(2);
    expect(await patch(`${deployments}/d/status`, { status: { replicas: 2 } })).toBe(2);
    expect(await patch(`${deployments}/d`, { status: { replicas: 9 } })).toBe(2);
  });

  it('keeps status and the rest apart', async () => {
    const api = await createTestApi();
    const made = await api.ok('POST', widgets, { body: widget('w', { size: 1 }) });
    const status = await api.ok('PUT', `${widgets}/w/status`, {
      body: {
        ...made,
        metadata: { ...made.metadata, labels: { no: 'no' } },
        spec: { size: 9 },
        status: { ready: true },
      },
    });
    expect(status).toMatchObject({
      spec: { size: 1, color: 'red' },
      status: { ready: true },
      metadata: { generation: 1 },
    });
    expect(status.metadata.labels).toBeUndefined();
    const main = await api.ok('PUT', `${widgets}/w`, {
      body: { ...status, spec: { size: 2 }, status: { ready: false } },
    });
    expect(main).toMatchObject({ spec: { size: 2 }, status: { ready: true }, metadata: { generation: 2 } });
    const { status: _gone, ...bare } = main;
    expect(await api.ok('PUT', `${widgets}/w`, { body: bare })).toMatchObject({ status: { ready: true } });
  });

  it('lets labels of built-in kinds change through the status endpoint', async () => {
    const api = await createTestApi();
    await api.ok('POST', pods, { body: { metadata: { name: 'p' }, spec: { nodeName: 'n' } } });
    const body = { metadata: { annotations: { a: 'b' } }, spec: { nodeName: 'x' }, status: { phase: 'Running' } };
    expect(await api.ok('PATCH', `${pods}/p/status`, { body, contentType: merge })).toMatchObject({
      metadata: { annotations: { a: 'b' } },
      spec: { nodeName: 'n' },
      status: { phase: 'Running' },
    });
  });

  it('runs again from the newest state when another write slips in while admission waits', async () => {
    let release = () => {};
    let held = true;
    const api = await createTestApi({
      admission: [
        {
          name: 'slow',
          validate({ operation }) {
            if (operation !== 'UPDATE' || !held) return;
            held = false;
            return new Promise<void>((resolve) => {
              release = resolve;
            });
          },
        },
      ],
    });
    await api.ok('POST', configMaps, { body: configMap('a', { x: '1' }) });
    const slow = api.ok('PATCH', `${configMaps}/a`, { body: { data: { y: '2' } }, contentType: merge });
    const pinned = { metadata: { resourceVersion: '2' }, data: { z: '3' } };
    await api.ok('PATCH', `${configMaps}/a`, { body: pinned, contentType: merge });
    release();
    expect((await slow).data).toEqual({ x: '1', y: '2', z: '3' });
    expect(await api.fails('PATCH', `${configMaps}/a`, { body: pinned, contentType: merge })).toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });

  it('answers a dry run with the result and stores nothing', async () => {
    const api = await createTestApi();
    await api.ok('POST', configMaps, { body: configMap('a', { x: '1' }) });
    const object = await api.ok('PUT', `${configMaps}/a`, {
      body: configMap('a', { x: '2' }),
      query: { dryRun: 'All' },
    });
    expect(object).toMatchObject({ data: { x: '2' }, metadata: { resourceVersion: '2' } });
    expect((await api.ok('GET', `${configMaps}/a`)).data).toEqual({ x: '1' });
  });

  it('drops second mentions of an owner with a warning', async () => {
    const api = await createTestApi();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
    const { body, warnings } = await api.ask('POST', configMaps, {
      body: configMap('a', {}, { ownerReferences: [owner, owner] }),
    });
    expect(body).toMatchObject({ metadata: { ownerReferences: [owner] } });
    expect(warnings[0]).toContain('duplicate entries');
  });
});

describe('patch', () => {
  it('takes all four types for built-in kinds', async () => {
    const api = await createTestApi();
    await api.ok('POST', configMaps, { body: configMap('a', { x: '1', y: '1' }) });
    const patch = (contentType: string, body: unknown, query = {}) =>
      api.ok('PATCH', `${configMaps}/a`, { contentType, body, query });
    expect((await patch(merge, { data: { x: null } })).data).toEqual({ y: '1' });
    expect((await patch('application/json-patch+json', [{ op: 'add', path: '/data/z', value: '3' }])).data).toEqual({
      y: '1',
      z: '3',
    });
    expect((await patch('application/strategic-merge-patch+json', { data: { y: '4' } })).data).toEqual({
      y: '4',
      z: '3',
    });
    const applied = await patch('application/apply-patch+yaml', configMap('a', { w: '5' }), { fieldManager: 'me' });
    expect(applied.data).toEqual({ w: '5', y: '4', z: '3' });
    expect(applied.metadata.managedFields?.map((entry) => [entry.manager, entry.operation])).toContainEqual([
      'me',
      'Apply',
    ]);
  });

  it('hands the rules of a kind a draft that they may change, whatever the patch', async () => {
    const [maps] = testResources;
    if (!maps) throw new Error('no test resources');
    const strategy = {
      default(draft: MutableJson) {
        (draft.data as MutableJson).seen = 'yes';
      },
    };
    const api = await createTestApi({ resources: [{ ...maps, strategy }] });
    const original = await api.ok('POST', configMaps, { body: configMap('a', { x: '1' }) });
    for (const contentType of [merge, 'application/strategic-merge-patch+json', 'application/apply-patch+yaml']) {
      const { data, ...body } = configMap('a', {}, { labels: { by: contentType.length.toString() } });
      const query: Record<string, string> = { fieldManager: 'me' };
      if (contentType.includes('apply')) query.force = 'true';
      const object = await api.ok('PATCH', `${configMaps}/a`, { contentType, body, query });
      expect([data, object.data]).toEqual([{}, { x: '1', seen: 'yes' }]);
    }
    expect(original.metadata.labels).toBeUndefined();
  });

  it('creates by apply, and only then', async () => {
    const api = await createTestApi();
    const path = `${configMaps}/a`;
    const apply = {
      contentType: 'application/apply-patch+yaml',
      body: configMap('a', { w: '5' }),
      query: { fieldManager: 'me' },
    };
    expect((await api.ask('PATCH', path, apply)).code).toBe(201);
    expect((await api.ask('PATCH', path, apply)).code).toBe(200);
    expect(api.storage.revision).toBe(2);
    expect((await api.fails('PATCH', `${configMaps}/b`, { contentType: merge, body: {} })).code).toBe(404);
  });

  it('takes the name of an applied object from the one that is there, and only from it', async () => {
    const api = await createTestApi();
    const { metadata: _none, ...nameless } = configMap('a', { w: '6' });
    const apply = { contentType: 'application/apply-patch+yaml', body: nameless, query: { fieldManager: 'me' } };
    expect(await api.fails('PATCH', `${configMaps}/a`, apply)).toMatchObject({
      code: 400,
      message: 'the name of the object (a based on URL) was undeterminable: name must be provided',
    });
    await api.ok('POST', configMaps, { body: configMap('a', { w: '5' }) });
    expect(
      await api.ok('PATCH', `${configMaps}/a`, { ...apply, query: { fieldManager: 'me', force: 'true' } }),
    ).toMatchObject({
      metadata: { name: 'a' },
      data: { w: '6' },
    });
  });

  it('refuses other content types, and strategic patches of custom kinds', async () => {
    const api = await createTestApi();
    await api.ok('POST', widgets, { body: widget('w', { size: 1 }) });
    for (const contentType of ['application/json', 'application/strategic-merge-patch+json', undefined]) {
      const status = await api.fails('PATCH', `${widgets}/w`, { body: {}, ...(contentType ? { contentType } : {}) });
      expect(status).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
      expect(status.message).toContain(
        'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
    }
  });
});
