import { ConfigMap, Secret } from '@coxswain/k8s';
import { afterEach, describe, expect, it } from 'vitest';
import { merge } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { configsInTemplates, type ImmutableConfigOptions, immutableConfig } from './index.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

/** An operator that keeps one immutable config for each widget, of its size. */
async function setUp(options: Partial<ImmutableConfigOptions<ConfigMap>> = {}) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1) });
  managers.push(manager);
  const names: string[] = [];
  manager
    .actor(
      Widget,
      {
        async observe(context) {
          const data = { size: String(context.object.spec?.size ?? 0) };
          const { name } = context.object.metadata;
          names.push((await immutableConfig(context, { kind: ConfigMap, name, data, ...options })).metadata.name);
          return undefined;
        },
        finalize: async () => true,
      },
      { finalizer: 'test.dev/widget' },
    )
    .owns(ConfigMap)
    .run();
  await manager.start();
  const create = async (name: string, size: number) => {
    await client.of(Widget).create({ ...widget(name), spec: { size } });
    await clock.advance(1_000);
  };
  const resizeAtOnce = async (name: string, size: number) => {
    await client.of(Widget).patch({ namespace: 'default', name }, merge({ spec: { size } }));
    await clock.settle();
  };
  const resize = async (name: string, size: number) => {
    await resizeAtOnce(name, size);
    await clock.advance(1_000);
  };
  const list = async () => (await client.of(ConfigMap).list({ namespace: 'default' })).items;
  const sizes = async () => (await list()).map(({ data }) => Number(data?.['size'])).sort((a, b) => a - b);
  return { api, client, clock, names, create, resize, resizeAtOnce, list, sizes };
}

describe('immutable configs', () => {
  it('have a new name for a new content, and the old one for the old content', async () => {
    const t = await setUp();
    await t.create('w', 1);
    await t.resize('w', 2);
    await t.resize('w', 1);
    const [first, second, third] = t.names;
    expect(first).toMatch(/^w-[0-9a-f]{10}$/);
    expect(second).not.toBe(first);
    expect(third).toBe(first);
    const [one] = await t.list();
    expect(one).toMatchObject({ immutable: true, metadata: { ownerReferences: [{ kind: 'Widget', name: 'w' }] } });
  });

  it('are collected but for the newest of the history, and none of another owner', async () => {
    const t = await setUp({ history: 2 });
    await t.create('other', 100);
    await t.create('w', 1);
    for (const size of [2, 3, 4, 5, 6]) await t.resize('w', size);
    expect(await t.sizes()).toEqual([4, 5, 6, 100]);
  });

  it('are kept by true age when they are made within one second, and by last use after a way back', async () => {
    const t = await setUp({ history: 2 });
    await t.create('w', 1);
    for (const size of [2, 3, 4, 5, 6, 7, 8]) await t.resizeAtOnce('w', size);
    expect(await t.sizes()).toEqual([6, 7, 8]);
    await t.resizeAtOnce('w', 6);
    expect(await t.sizes()).toEqual([6, 7, 8]);
    await t.resizeAtOnce('w', 9);
    expect(await t.sizes()).toEqual([6, 8, 9]);
    const revisions = (await t.list()).map(({ metadata, data }) => [
      Number(data?.['size']),
      metadata.annotations?.['coxswain.dev/config-revision'],
    ]);
    expect(Object.fromEntries(revisions)).toEqual({ 6: '9', 8: '8', 9: '10' });
  });

  it('of an earlier release, without a revision, are older than all that have one', async () => {
    const t = await setUp({ history: 1 });
    await t.create('w', 1);
    const [first] = await t.list();
    const strip = merge({ metadata: { annotations: null } });
    await t.client.of(ConfigMap).patch({ namespace: 'default', name: first?.metadata.name ?? '' }, strip);
    for (const size of [2, 3]) await t.resizeAtOnce('w', size);
    expect(await t.sizes()).toEqual([2, 3]);
  });

  it('write nothing when nothing changed', async () => {
    const t = await setUp();
    await t.create('w', 1);
    await t.resize('w', 2);
    const writes = t.api.writes.filter((write) => write.includes('/configmaps')).length;
    await t.client
      .of(Widget)
      .patch({ namespace: 'default', name: 'w' }, merge({ metadata: { labels: { seen: 'y' } } }));
    await t.clock.advance(1_000);
    expect(t.api.writes.filter((write) => write.includes('/configmaps')).length).toBe(writes);
  });

  it('stay as long as they are in use, however old', async () => {
    const used = new Set<string>();
    const t = await setUp({ history: 0, inUse: () => used });
    await t.create('w', 1);
    used.add(t.names[0] ?? '');
    for (const size of [2, 3]) await t.resize('w', size);
    expect(await t.sizes()).toEqual([1, 3]);
    used.clear();
    await t.resize('w', 4);
    expect(await t.sizes()).toEqual([4]);
  });

  it('are named alike whatever the order of their keys, and differ by every part of the content', async () => {
    const context = {
      object: widget('w'),
      owned: () => [],
      client: new TestApi(new VirtualClock()).client(),
      apply: async <C>(_kind: unknown, desired: unknown) => desired as C,
    };
    const nameOf = async (content: Partial<ImmutableConfigOptions<ConfigMap>>) =>
      (await immutableConfig(context, { kind: ConfigMap, name: 'w', ...content })).metadata.name;
    expect(await nameOf({ data: { a: '1', b: '2' } })).toBe(await nameOf({ data: { b: '2', a: '1' } }));
    const all = await Promise.all([
      nameOf({}),
      nameOf({ data: { a: '1' } }),
      nameOf({ data: { a1: '' } }),
      nameOf({ binaryData: { a: '1' } }),
      nameOf({ stringData: { a: '1' } }),
    ]);
    expect(new Set(all).size).toBe(all.length);
    const secret = await immutableConfig(context, { kind: Secret, name: 's', stringData: { password: 'hunter2' } });
    expect(secret.metadata.name).not.toContain('hunter2');
    await expect(nameOf({ name: 'n'.repeat(250) })).rejects.toThrow('longer than 253');
    const family = (await immutableConfig(context, { kind: ConfigMap, name: 'n'.repeat(200) })).metadata.labels;
    expect(Object.values(family ?? {})[0]?.length).toBeLessThanOrEqual(63);
  });
});

describe('configsInTemplates', () => {
  it('finds every way in which a pod names them', () => {
    const container = {
      name: 'c',
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'c-env', key: 'k' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 's-env', key: 'k' } } },
        { name: 'C', value: 'plain' },
      ],
      envFrom: [{ configMapRef: { name: 'c-from' } }, { secretRef: { name: 's-from' } }],
    };
    const spec = {
      volumes: [
        { name: 'a', configMap: { name: 'c-volume' } },
        { name: 'b', secret: { secretName: 's-volume' } },
        {
          name: 'c',
          projected: { sources: [{ configMap: { name: 'c-projected' } }, { secret: { name: 's-projected' } }] },
        },
        { name: 'd', csi: { driver: 'd', nodePublishSecretRef: { name: 's-csi' } } },
        { name: 'e', emptyDir: {} },
      ],
      imagePullSecrets: [{ name: 's-pull' }],
      initContainers: [{ name: 'i', envFrom: [{ configMapRef: { name: 'c-init' } }] }],
      containers: [container],
    };
    const { configMaps, secrets } = configsInTemplates([{ spec }, {}]);
    expect([...configMaps].sort()).toEqual(['c-env', 'c-from', 'c-init', 'c-projected', 'c-volume']);
    expect([...secrets].sort()).toEqual(['s-csi', 's-env', 's-from', 's-projected', 's-pull', 's-volume']);
  });
});
