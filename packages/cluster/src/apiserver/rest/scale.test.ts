import { describe, expect, it } from 'vitest';
import { createTestApi, deployment, deployments } from './test-api.ts';

const path = `${deployments}/d/scale`;
const merge = 'application/merge-patch+json';

async function scaled() {
  const api = await createTestApi();
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web', tier: 'a' } } };
  await api.ok('POST', deployments, { body: deployment('d', spec) });
  await api.ok('PATCH', `${deployments}/d/status`, { body: { status: { replicas: 1 } }, contentType: merge });
  return api;
}

describe('scale', () => {
  it('shows the three values and the identity of the parent', async () => {
    const api = await scaled();
    const parent = await api.ok('GET', `${deployments}/d`);
    const { uid, resourceVersion, creationTimestamp } = parent.metadata;
    expect(await api.ok('GET', path)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd', namespace: 'default', uid, resourceVersion, creationTimestamp },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'app=web,tier=a' },
    });
  });

  it('changes the parent by PUT and PATCH, with its generation', async () => {
    const api = await scaled();
    const scale = await api.ok('GET', path);
    expect(await api.ok('PUT', path, { body: { ...scale, spec: { replicas: 5 } } })).toMatchObject({
      spec: { replicas: 5 },
    });
    expect(await api.ok('PATCH', path, { body: { spec: { replicas: 3 } }, contentType: merge })).toMatchObject({
      spec: { replicas: 3 },
    });
    const json = [{ op: 'replace', path: '/spec/replicas', value: 0 }];
    expect((await api.ok('PATCH', path, { body: json, contentType: 'application/json-patch+json' })).spec).toEqual({});
    expect(await api.ok('GET', `${deployments}/d`)).toMatchObject({
      metadata: { generation: 4 },
      spec: { replicas: 0 },
      status: { replicas: 1 },
    });
  });

  it('keeps preconditions and refuses nonsense', async () => {
    const api = await scaled();
    const scale = await api.ok('GET', path);
    await api.ok('PUT', path, { body: { ...scale, spec: { replicas: 5 } } });
    expect((await api.fails('PUT', path, { body: scale })).code).toBe(409);
    expect((await api.fails('PUT', path, { body: { kind: 'Scale', spec: { replicas: 'x' } } })).code).toBe(400);
    expect((await api.fails('PUT', path, { body: { kind: 'Deployment' } })).code).toBe(400);
    expect(await api.fails('PUT', path, { body: { metadata: { name: 'd' }, spec: { replicas: -1 } } })).toMatchObject({
      code: 422,
      message: 'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    });
    const now = await api.ok('GET', path);
    for (const spec of [[], 'x', { replicas: 2 ** 31 }, { replicas: 1e20 }, { replicas: 1.5 }]) {
      expect((await api.fails('PUT', path, { body: { ...now, spec } })).code).toBe(400);
      expect((await api.fails('PATCH', path, { body: { spec }, contentType: merge })).code).toBe(422);
    }
    expect((await api.fails('PUT', path, { body: { spec: { replicas: 1 } } })).code).toBe(400);
    expect((await api.fails('GET', `${deployments}/e/scale`)).code).toBe(404);
  });
});
