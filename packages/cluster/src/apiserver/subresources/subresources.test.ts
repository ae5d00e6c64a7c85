import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import { createTestApi, pods, type TestApi } from '../rest/test-api.ts';
import { builtinForms, builtinSubresources } from './index.ts';

const merge = 'application/merge-patch+json';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

async function start(): Promise<TestApi> {
  const registry = createRegistry(builtinResources());
  const api = await createTestApi({ registry, subresources: builtinSubresources, forms: builtinForms });
  await api.ok('POST', pods, {
    body: { metadata: { name: 'p', labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  });
  return api;
}

const bind = (name: string, target = 'n1', meta: object = {}) => ({
  metadata: { name, ...meta },
  target: { kind: 'Node', name: target },
});

const running = (api: TestApi) =>
  api.ok('PATCH', `${pods}/p/status`, {
    contentType: merge,
    body: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
  });

describe('pods/binding', () => {
  it('assigns a pod to a node once, without a new generation', async () => {
    const api = await start();
    expect(
      await api.ask('POST', `${pods}/p/binding`, { body: bind('p', 'n1', { annotations: { a: 'b' } }) }),
    ).toMatchObject({
      code: 201,
      body: { kind: 'Status', status: 'Success' },
    });
    expect(await api.ok('GET', `${pods}/p`)).toMatchObject({
      metadata: { generation: 1, annotations: { a: 'b' } },
      spec: { nodeName: 'n1' },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    });
    expect(await api.fails('POST', `${pods}/p/binding`, { body: bind('p', 'n2') })).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    });
  });

  it('refuses what does not name this pod, or a node', async () => {
    const api = await start();
    expect((await api.fails('POST', `${pods}/p/binding`, { body: bind('q') })).code).toBe(400);
    expect((await api.fails('POST', `${pods}/p/binding`, { body: { metadata: { name: 'p' }, target: {} } })).code).toBe(
      400,
    );
    expect((await api.fails('POST', `${pods}/p/binding`, { body: bind('p', 'n1', { uid: 'other' }) })).code).toBe(409);
    expect((await api.fails('POST', `${pods}/q/binding`, { body: bind('q') })).code).toBe(404);
    await api.ok('POST', `${pods}/p/binding`, { body: bind('p'), query: { dryRun: 'All' } });
    expect((await api.ok('GET', `${pods}/p`)).spec).not.toHaveProperty('nodeName');
  });
});

describe('pods/eviction', () => {
  const evict = { metadata: { name: 'p' } };

  it('deletes with a DisruptionTarget condition', async () => {
    const api = await start();
    await api.ok('POST', `${pods}/p/binding`, { body: bind('p') });
    await running(api);
    await api.ok('POST', `${pods}/p/eviction`, { body: evict, query: { dryRun: 'All' } });
    expect((await api.ok('GET', `${pods}/p`)).metadata.deletionTimestamp).toBeUndefined();
    expect((await api.ask('POST', `${pods}/p/eviction`, { body: evict })).code).toBe(201);
    const pod = await api.ok('GET', `${pods}/p`);
    expect(pod.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 });
    expect((pod.status as MutableJson).conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
    );
  });

  it('spends the disruption budget and answers 429 when it is empty', async () => {
    const api = await start();
    await api.ok('POST', `${pods}/p/binding`, { body: bind('p') });
    await running(api);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
    const budget = await api.ok('POST', budgets, { body: { metadata: { name: 'b' }, spec } });
    const status = (disruptionsAllowed: number) => ({
      status: {
        observedGeneration: 1,
        disruptionsAllowed,
        currentHealthy: 1 + disruptionsAllowed,
        desiredHealthy: 1,
        expectedPods: 2,
      },
    });
    const set = (allowed: number) =>
      api.ok('PATCH', `${budgets}/b/status`, { contentType: merge, body: status(allowed) });
    expect(budget.metadata.generation).toBe(1);
    await set(0);
    expect(await api.fails('POST', `${pods}/p/eviction`, { body: evict })).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      details: {
        causes: [
          { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
        ],
      },
    });
    await set(1);
    await api.ok('POST', `${pods}/p/eviction`, { body: evict });
    expect(await api.ok('GET', `${budgets}/b`)).toMatchObject({
      status: { disruptionsAllowed: 0, disruptedPods: { p: '2026-01-01T00:00:00Z' } },
    });
  });

  it('refuses a pod with two budgets, and preconditions that fail', async () => {
    const api = await start();
    await api.ok('POST', `${pods}/p/binding`, { body: bind('p') });
    await running(api);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'x' } } };
    for (const name of ['a', 'b']) await api.ok('POST', budgets, { body: { metadata: { name }, spec } });
    expect((await api.fails('POST', `${pods}/p/eviction`, { body: evict })).code).toBe(500);
    const body = { ...evict, deleteOptions: { preconditions: { uid: 'other' } } };
    expect((await api.fails('POST', `${pods}/p/eviction`, { body })).code).toBe(409);
  });
});

describe('namespaces/finalize', () => {
  it('holds a deleted namespace until its own finalizers are gone', async () => {
    const api = await start();
    const path = '/api/v1/namespaces/a';
    await api.ok('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
    const marked = await api.ok('DELETE', path);
    expect(marked).toMatchObject({
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    expect(await api.ok('DELETE', path)).toEqual(marked);
    const body = { ...marked, spec: { finalizers: [] }, status: { phase: 'Active' } };
    expect((await api.fails('PATCH', `${path}/finalize`, { body, contentType: merge })).code).toBe(405);
    await api.ok('PUT', `${path}/finalize`, { body });
    expect((await api.fails('GET', path)).code).toBe(404);
  });

  it('changes nothing but the finalizers of a living one', async () => {
    const api = await start();
    const path = '/api/v1/namespaces/a';
    const made = await api.ok('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
    const body = { ...made, spec: { finalizers: ['kubernetes', 'example.com/x'] }, status: { phase: 'Terminating' } };
    expect(await api.ok('PUT', `${path}/finalize`, { body })).toMatchObject({
      spec: { finalizers: ['kubernetes', 'example.com/x'] },
      status: { phase: 'Active' },
    });
  });
});

describe('forms of a pod', () => {
  it('changes only what the path is for', async () => {
    const api = await start();
    const resize = { spec: { containers: [{ name: 'c', image: 'other', resources: { requests: { cpu: '1' } } }] } };
    const strategic = 'application/strategic-merge-patch+json';
    const resized = await api.ok<DynamicObject>('PATCH', `${pods}/p/resize`, { body: resize, contentType: strategic });
    expect(resized.spec).toMatchObject({
      containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu: '1' } } }],
    });
    const debug = { spec: { nodeName: 'x', ephemeralContainers: [{ name: 'd', image: 'busybox' }] } };
    const debugged = await api.ok<DynamicObject>('PATCH', `${pods}/p/ephemeralcontainers`, {
      body: debug,
      contentType: strategic,
    });
    expect(debugged.spec).toMatchObject({ ephemeralContainers: [{ name: 'd', image: 'busybox' }] });
    expect(debugged.spec).not.toHaveProperty('nodeName');
  });
});
