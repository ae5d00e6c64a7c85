import type { DynamicObject } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { configMap, configMaps, createTestApi, deployment, deployments, widget, widgets } from './test-api.ts';

describe('create', () => {
  it('stamps identity, keeps the given fields and answers 201 with a frozen object', async () => {
    const api = await createTestApi();
    const { code, body } = await api.ask('POST', configMaps, { body: configMap('a', { x: '1' }) });
    expect(code).toBe(201);
    const object = body as DynamicObject;
    expect(object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default', creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '2' },
      data: { x: '1' },
    });
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(object.metadata.generation).toBeUndefined();
    expect(Object.isFrozen(object)).toBe(true);
    expect(await api.ok('GET', `${configMaps}/a`)).toBe(object);
  });

  it('leaves the request body alone', async () => {
    const api = await createTestApi();
    const body = Object.freeze({
      ...configMap('a'),
      metadata: Object.freeze({ name: 'a', labels: Object.freeze({}) }),
    });
    await api.ok('POST', configMaps, { body });
    expect(body.metadata).toEqual({ name: 'a', labels: {} });
  });

  it('starts generations at 1 and drops the status of kinds that have a status endpoint', async () => {
    const api = await createTestApi();
    const body = { ...deployment('d', { replicas: 2 }, { generation: 9 }), status: { replicas: 5 } };
    const object = await api.ok('POST', deployments, { body });
    expect(object.metadata.generation).toBe(1);
    expect(object.status).toBeUndefined();
  });

  it('fills the defaults of a custom kind', async () => {
    const api = await createTestApi();
    const object = await api.ok('POST', widgets, { body: widget('w', { size: 2 }) });
    expect(object.spec).toEqual({ size: 2, color: 'red' });
  });

  it('generates names', async () => {
    const api = await createTestApi();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'web-' } };
    const first = await api.ok('POST', configMaps, { body });
    const second = await api.ok('POST', configMaps, { body });
    expect(first.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
    expect(first.metadata.generateName).toBe('web-');
  });

  it('gives up after eight taken names with a retry hint', async () => {
    const api = await createTestApi({ random: { next: () => 0 } });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'web-' } };
    await api.ok('POST', configMaps, { body });
    const status = await api.fails('POST', configMaps, { body });
    expect(status).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      details: { retryAfterSeconds: 1, name: 'web-bbbbb' },
    });
  });

  it('refuses finalizers without a domain for built-in kinds, and warns of them for custom ones', async () => {
    const api = await createTestApi();
    expect(
      (await api.fails('POST', configMaps, { body: configMap('a', {}, { finalizers: ['mine'] }) })).message,
    ).toContain(
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    );
    await api.ok('POST', configMaps, { body: configMap('a', {}, { finalizers: ['orphan'] }) });
    const body = widget('w', { size: 1 }, { finalizers: ['mine', 'example.com', 'example.com/x'] });
    expect((await api.ask('POST', widgets, { body })).warnings).toEqual([
      'metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });

  it('checks all and stores nothing in a dry run', async () => {
    const api = await createTestApi();
    const object = await api.ok('POST', configMaps, { body: configMap('a'), query: { dryRun: 'All' } });
    expect(object.metadata.uid).toBeDefined();
    expect(api.storage.revision).toBe(1);
    expect((await api.fails('GET', `${configMaps}/a`)).code).toBe(404);
  });
});
