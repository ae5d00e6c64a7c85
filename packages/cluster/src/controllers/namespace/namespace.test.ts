import {
  ConfigMap,
  CustomResourceDefinition,
  type Kind,
  type KubeObject,
  Namespace,
  Node as NodeKind,
  Pod,
  pathOf,
  Secret,
  Service,
} from '@coxswain/k8s';
import { json, merge } from '@coxswain/runtime/client';
import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../kinds/test-world.ts';
import { namespaceController } from './index.ts';

const start = () => startWorld(namespaceController);

async function filled(world: World): Promise<void> {
  await world.make(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const metadata = (name: string) => ({ name, namespace: 'team' });
  await world.make(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('c') });
  await world.make(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: metadata('s') });
  const ports = [{ port: 80 }];
  await world.make(Service, { apiVersion: 'v1', kind: 'Service', metadata: metadata('s'), spec: { ports } });
  const containers = [{ name: 'c', image: 'i' }];
  await world.make(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: metadata('p'), spec: { containers } });
  await world.settle();
}

async function condition(world: World, type: string) {
  const namespace = await world.find(Namespace, 'team');
  return namespace?.status?.conditions?.find((one) => one.type === type);
}

const widgets: Kind = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' };

describe('namespace controller', () => {
  it('removes everything in a deleted namespace, then the namespace', async () => {
    await using world = await start();
    await filled(world);
    await world.make(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'other', namespace: 'default' },
    });
    await world.client.of(Namespace).delete({ name: 'team' });
    await world.settle();
    expect(await world.find(Namespace, 'team')).toBeUndefined();
    for (const kind of [ConfigMap, Secret, Service, Pod] as readonly Kind<KubeObject>[]) {
      expect((await world.client.of(kind).list({ namespace: 'team' })).items).toEqual([]);
    }
    expect(await world.find(ConfigMap, 'other')).toBeDefined();
  });

  it('deletes pods first and waits for them', async () => {
    await using world = await start();
    await filled(world);
    const hold = merge({ metadata: { finalizers: ['example.com/hold'] } });
    await world.client.of(Pod).patch({ namespace: 'team', name: 'p' }, hold);
    await world.client.of(Namespace).delete({ name: 'team' });
    await world.settle(60_000);
    expect((await world.find(Namespace, 'team'))?.status?.phase).toBe('Terminating');
    expect(await world.find(ConfigMap, 'c', 'team')).toBeDefined();
    // as long as there are pods, Kubernetes does not say what else is left
    for (const [type, reason] of [
      ['NamespaceContentRemaining', 'ContentRemoved'],
      ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers'],
      ['NamespaceDeletionContentFailure', 'ContentDeleted'],
    ] as const)
      expect(await condition(world, type)).toMatchObject({ status: 'False', reason });
    await world.client.of(Pod).patch({ namespace: 'team', name: 'p' }, merge({ metadata: { finalizers: null } }));
    await world.settle();
    expect(await world.find(Namespace, 'team')).toBeUndefined();
  });

  it('says that pods do not go although nobody holds them, when they should have', async () => {
    await using world = await start();
    await filled(world);
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'gone' } };
    await world.make(NodeKind, node);
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'gone' },
    };
    await world.client.raw({ method: 'POST', path: pathOf(Pod, 'team', 'p', 'binding'), body: binding });
    await world.client.of(Namespace).delete({ name: 'team' });
    await world.settle(20_000);
    expect(await condition(world, 'NamespaceDeletionContentFailure')).toMatchObject({ status: 'False' });
    await world.settle(20_000);
    expect(await condition(world, 'NamespaceDeletionContentFailure')).toMatchObject({
      status: 'True',
      reason: 'ContentDeletionFailed',
      message:
        'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: team for gvr: /v1, Resource=pods',
    });
    await world.client.of(Pod).delete({ namespace: 'team', name: 'p' }, { gracePeriodSeconds: 0 });
    await world.settle();
    expect(await world.find(Namespace, 'team')).toBeUndefined();
  });

  it('says what is left and does nothing more until it goes', async () => {
    await using world = await start();
    await filled(world);
    const hold = merge({ metadata: { finalizers: ['example.com/hold'] } });
    await world.client.of(ConfigMap).patch({ namespace: 'team', name: 'c' }, hold);
    await world.client.of(Namespace).delete({ name: 'team' });
    await world.settle();
    expect((await condition(world, 'NamespaceContentRemaining'))?.message).toBe(
      'Some resources are remaining: configmaps. has 1 resource instances',
    );
    const before = (await world.find(Namespace, 'team'))?.metadata.resourceVersion;
    await world.settle(3_600_000);
    expect((await world.find(Namespace, 'team'))?.metadata.resourceVersion).toBe(before);
    expect(world.manager.idle).toBe(true);
  });

  it('empties custom resources too', async () => {
    await using world = await start();
    await filled(world);
    await world.make(CustomResourceDefinition, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await world.settle();
    await world.make(widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'team' },
    });
    await world.client.of(Namespace).delete({ name: 'team' });
    await world.settle();
    expect(await world.find(Namespace, 'team')).toBeUndefined();
    expect(await world.find(widgets, 'w', 'team')).toBeUndefined();
  });

  it('leaves the namespace to other finalizers when it is done', async () => {
    await using world = await start();
    await filled(world);
    const path = pathOf(Namespace, undefined, 'team', 'finalize');
    const namespace = await world.find(Namespace, 'team');
    const spec = { finalizers: ['kubernetes', 'example.com/mine'] };
    await world.client.raw({ method: 'PUT', path, body: { ...namespace, spec } });
    await world.client.of(Namespace).delete({ name: 'team' });
    await world.settle();
    expect((await world.find(Namespace, 'team'))?.spec?.finalizers).toEqual(['example.com/mine']);
    expect(await world.find(ConfigMap, 'c', 'team')).toBeUndefined();
  });

  it('does not touch namespaces that are alive', async () => {
    await using world = await start();
    await filled(world);
    const rename = json([{ op: 'add', path: '/metadata/labels/x', value: 'y' }]);
    await world.client.of(Namespace).patch({ name: 'team' }, rename);
    await world.settle(60_000);
    expect(await world.find(ConfigMap, 'c', 'team')).toBeDefined();
  });
});
