import {
  ConfigMap,
  CustomResourceDefinition,
  Event,
  type Kind,
  type KubeObject,
  Namespace,
  type OwnerReference,
  PersistentVolume,
  Secret,
} from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../kinds/test-world.ts';
import { garbageCollector } from './index.ts';

const start = () => startWorld(garbageCollector);

function ownedBy(kind: Kind, owner: KubeObject, options: Partial<OwnerReference> = {}): OwnerReference {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const { name, uid = '' } = owner.metadata;
  return { apiVersion, kind: kind.kind, name, uid, ...options };
}

function configMap(name: string, owners: readonly OwnerReference[] = [], more: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ownerReferences: owners, ...more },
  };
}

const there = async (world: World, name: string) => (await world.find(ConfigMap, name)) !== undefined;

async function chain(world: World): Promise<void> {
  const top = await world.make(ConfigMap, configMap('top'));
  const middle = await world.make(
    ConfigMap,
    configMap('middle', [ownedBy(ConfigMap, top, { blockOwnerDeletion: true })]),
  );
  await world.make(ConfigMap, configMap('bottom', [ownedBy(ConfigMap, middle, { blockOwnerDeletion: true })]));
  await world.settle();
}

const widgets: Kind = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' };
const widgetCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: {} } } },
    ],
  },
};

describe('garbage collector', () => {
  it('collects in the background what has lost its last owner, however deep', async () => {
    await using world = await start();
    await chain(world);
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'top' }, { propagation: 'Background' });
    await world.settle();
    expect(await there(world, 'middle')).toBe(false);
    expect(await there(world, 'bottom')).toBe(false);
  });

  it('keeps what another owner still has, without the dangling reference', async () => {
    await using world = await start();
    const a = await world.make(ConfigMap, configMap('a'));
    const b = await world.make(ConfigMap, configMap('b'));
    await world.make(ConfigMap, configMap('child', [ownedBy(ConfigMap, a), ownedBy(ConfigMap, b)]));
    await world.settle();
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'a' });
    await world.settle();
    const child = await world.find(ConfigMap, 'child');
    expect(child?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['b']);
  });

  it('deletes in the foreground from the bottom up', async () => {
    await using world = await start();
    await chain(world);
    const gone: string[] = [];
    world.monitors.onEvent(({ monitor, change }) => {
      if (monitor.id === 'configmaps' && change.type === 'deleted') gone.push(change.object.metadata.name);
    });
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'top' }, { propagation: 'Foreground' });
    await world.settle();
    expect(gone).toEqual(['bottom', 'middle', 'top']);
  });

  it('does not let the foreground wait for dependents that do not block', async () => {
    await using world = await start();
    const top = await world.make(ConfigMap, configMap('top'));
    const owners = [ownedBy(ConfigMap, top)];
    await world.make(ConfigMap, configMap('held', owners, { finalizers: ['example.com/hold'] }));
    await world.settle();
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'top' }, { propagation: 'Foreground' });
    await world.settle();
    expect(await there(world, 'top')).toBe(false);
    expect((await world.find(ConfigMap, 'held'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('waits in the foreground for blocking dependents with finalizers', async () => {
    await using world = await start();
    const top = await world.make(ConfigMap, configMap('top'));
    const owners = [ownedBy(ConfigMap, top, { blockOwnerDeletion: true })];
    await world.make(ConfigMap, configMap('held', owners, { finalizers: ['example.com/hold'] }));
    await world.settle();
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'top' }, { propagation: 'Foreground' });
    await world.settle(60_000);
    expect(await there(world, 'top')).toBe(true);
    await world.client
      .of(ConfigMap)
      .patch({ namespace: 'default', name: 'held' }, merge({ metadata: { finalizers: null } }));
    await world.settle();
    expect(await there(world, 'held')).toBe(false);
    expect(await there(world, 'top')).toBe(false);
  });

  it('breaks circles of owners that all wait in the foreground', async () => {
    await using world = await start();
    const a = await world.make(ConfigMap, configMap('a'));
    const b = await world.make(ConfigMap, configMap('b', [ownedBy(ConfigMap, a, { blockOwnerDeletion: true })]));
    const back = [ownedBy(ConfigMap, b, { blockOwnerDeletion: true })];
    await world.client
      .of(ConfigMap)
      .patch({ namespace: 'default', name: 'a' }, merge({ metadata: { ownerReferences: back } }));
    await world.settle();
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'a' }, { propagation: 'Foreground' });
    await world.settle(60_000);
    expect(await there(world, 'a')).toBe(false);
    expect(await there(world, 'b')).toBe(false);
  });

  it('orphans: dependents stay, without the reference', async () => {
    await using world = await start();
    await chain(world);
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'top' }, { propagation: 'Orphan' });
    await world.settle();
    expect(await there(world, 'top')).toBe(false);
    expect((await world.find(ConfigMap, 'middle'))?.metadata.ownerReferences).toBeUndefined();
    expect(await there(world, 'bottom')).toBe(true);
  });

  it('collects what comes into the world without an owner', async () => {
    await using world = await start();
    const ghost = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: 'no-such-uid' };
    await world.make(ConfigMap, configMap('child', [ghost]));
    await world.settle();
    expect(await there(world, 'child')).toBe(false);
  });

  it('takes another object of the same name for no owner', async () => {
    await using world = await start();
    const owner = await world.make(ConfigMap, configMap('owner'));
    await world.make(ConfigMap, configMap('child', [{ ...ownedBy(ConfigMap, owner), uid: 'an-older-uid' }]));
    await world.settle();
    expect(await there(world, 'child')).toBe(false);
  });

  it('takes an owner in another namespace for absent, and says so', async () => {
    await using world = await start();
    await world.make(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    const owner = await world.make(ConfigMap, {
      ...configMap('owner'),
      metadata: { name: 'owner', namespace: 'other' },
    });
    await world.settle();
    await world.make(ConfigMap, configMap('child', [ownedBy(ConfigMap, owner)]));
    await world.settle();
    expect(await there(world, 'child')).toBe(false);
    const events = await world.client.of(Event).list({ namespace: 'default' });
    expect(events.items.map(({ reason }) => reason)).toContain('OwnerRefInvalidNamespace');
  });

  it('leaves cluster-scoped objects with namespaced owners alone', async () => {
    await using world = await start();
    const owner = await world.make(ConfigMap, configMap('owner'));
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v', ownerReferences: [ownedBy(ConfigMap, owner)] },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    };
    await world.make(PersistentVolume, volume);
    await world.client.of(ConfigMap).delete({ namespace: 'default', name: 'owner' });
    await world.settle(60_000);
    expect(await world.find(PersistentVolume, 'v')).toBeDefined();
  });

  it('works across kinds and for custom resources as soon as they are served', async () => {
    await using world = await start();
    const early = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'not-yet' };
    await world.make(ConfigMap, configMap('early', [early]));
    await world.settle();
    expect(await there(world, 'early')).toBe(true);
    await world.make(CustomResourceDefinition, widgetCrd);
    await world.settle();
    expect(await there(world, 'early')).toBe(false);
    const widget = await world.make(widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
    });
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default', ownerReferences: [ownedBy(widgets, widget)] },
    };
    await world.make(Secret, secret);
    await world.settle();
    expect(await world.find(Secret, 's')).toBeDefined();
    await world.client.of(widgets).delete({ namespace: 'default', name: 'w' });
    await world.settle();
    expect(await world.find(Secret, 's')).toBeUndefined();
  });

  it('follows the objects of a kind that is removed', async () => {
    await using world = await start();
    await world.make(CustomResourceDefinition, widgetCrd);
    await world.settle();
    const widget = await world.make(widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'default' },
    });
    await world.make(ConfigMap, configMap('child', [ownedBy(widgets, widget)]));
    await world.settle();
    await world.client.of(CustomResourceDefinition).delete({ name: 'widgets.example.com' });
    await world.settle();
    expect(await there(world, 'child')).toBe(false);
    expect(world.monitors.byId('widgets.example.com')).toBeUndefined();
  });

  it('is idle when there is nothing to do', async () => {
    await using world = await start();
    await chain(world);
    expect(world.manager.idle).toBe(true);
    const before = (await world.client.of(ConfigMap).list()).metadata.resourceVersion;
    await world.settle(600_000);
    expect((await world.client.of(ConfigMap).list()).metadata.resourceVersion).toBe(before);
  });
});
