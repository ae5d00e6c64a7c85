import type { Kind, KubeObject } from '@coxswain/k8s';
import { afterEach, describe, expect, it } from 'vitest';
import { merge } from '../client/index.ts';
import { apiError } from '../core/index.ts';
import type { Manager } from '../manager/index.ts';
import { Base, Part, partPath, Widget, widget } from '../manager/test-kinds.ts';
import { type Child, child, type DesiredOptions, Resync } from './index.ts';
import { base, part, setUpDesired } from './test-desired.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

const key = { namespace: 'default', name: 'w' };
const resize = { spec: { size: 2 } };
const Node: Kind<KubeObject> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' };

/** A widget that is ready; its next generation gets what `broken` makes of it. */
async function readyThen(
  broken: Omit<Partial<DesiredOptions<Widget>>, 'children'> & { readonly children?: (w: Widget) => unknown },
) {
  const { children = () => [child(Part, part('p'))], ...rest } = broken;
  const t = await setUpDesired(managers, {
    ...rest,
    children: (w) => (w.spec.size === 1 ? [child(Part, part('p'))] : (children(w) as readonly Child[])),
  });
  await t.client.of(Widget).create(widget('w', 1));
  await t.clock.settle();
  expect(t.ready()).toMatchObject({ status: 'True', observedGeneration: 1 });
  expect(t.synced()).toMatchObject({ status: 'True', reason: 'ReconcileSuccess', observedGeneration: 1 });
  const childWrites = t.childWrites().length;
  const statusWrites = t.statusWrites().length;
  const change = async () => {
    await t.client.of(Widget).patch(key, merge(resize));
    await t.clock.settle();
  };
  return {
    ...t,
    change,
    newChildWrites: () => t.childWrites().slice(childWrites),
    statusWrites: () => t.statusWrites().length - statusWrites,
  };
}

const lost = new TypeError("Cannot read properties of undefined (reading 'x')");
const fails = () => {
  throw lost;
};

describe('a pass of desired() that fails', () => {
  it.each([
    [
      '`ready` throws',
      { children: () => [child(Part, part('p'), { ready: fails })] },
      '`ready` of ConfigMap default/p threw: Cannot read',
    ],
    [
      '`ready` answers a Promise',
      { children: () => [child(Part, part('p'), { ready: (() => Promise.resolve(true)) as never })] },
      '`ready` of ConfigMap default/p answered a Promise',
    ],
    ['`children` throws', { children: fails }, '`children` of Widget default/w threw: Cannot read'],
    ['`status` throws', { status: ({ spec }: Widget) => (spec.size > 1 ? fails() : {}) }, 'Cannot read'],
    ['`dependencies` throws', { dependencies: ({ spec }: Widget) => (spec.size > 1 ? fails() : []) }, 'Cannot read'],
  ])('is told by Ready and Synced of the new generation: %s', async (_, broken, message) => {
    const t = await readyThen(broken);
    await t.change();
    expect(t.synced()).toMatchObject({ status: 'False', reason: 'ReconcileFail', observedGeneration: 2 });
    expect(t.synced()?.message).toContain(message);
    expect(t.ready()).toMatchObject({ status: 'Unknown', reason: 'ReconcileFail', observedGeneration: 2 });
    expect(t.ready()?.message).toContain(message);
    await t.clock.advance(3_600_000);
    expect(t.statusWrites()).toBe(1);
  });

  it.each([
    [
      'no namespace',
      child(Part, { metadata: { name: 'x' } }),
      'ConfigMap x cannot be a child: it says no namespace; give it metadata.namespace: that of its owner, default',
    ],
    [
      'another namespace',
      child(Part, { metadata: { name: 'x', namespace: 'other' } }),
      'ConfigMap other/x cannot be a child: its owner is in namespace default and it is in namespace other',
    ],
    [
      'a cluster-scoped kind',
      child(Node, { metadata: { name: 'x' } }),
      'Node x cannot be a child: its owner is in namespace default and it is cluster-scoped',
    ],
    [
      'a namespace of a cluster-scoped kind',
      child(Node, { metadata: { name: 'x', namespace: 'default' } }),
      'a Node is in no namespace',
    ],
  ])('writes nothing for a child of %s', async (_, misplaced, message) => {
    const t = await readyThen({ owns: [Part, Base, Node], children: () => [child(Part, part('p', 2)), misplaced] });
    await t.change();
    await t.clock.advance(3_600_000);
    expect(t.newChildWrites()).toEqual([]);
    expect(t.ready()).toMatchObject({ status: 'False', reason: 'InvalidChildren', observedGeneration: 2 });
    expect(t.ready()?.message).toContain(message);
    expect(t.synced()).toMatchObject({ status: 'False', reason: 'ReconcileFail', observedGeneration: 2 });
    expect(t.statusWrites()).toBe(1);
  });

  it.each([
    ['undefined', undefined, 'answered undefined; answer a list of child(kind, object), empty for none'],
    ['an object', child(Part, part('p')), 'answered an object; answer a list'],
    ['a Promise', Promise.resolve([]), 'answered a Promise; it must answer at once'],
    [
      'a list with undefined',
      [child(Part, part('p')), undefined],
      'answered undefined at index 1; leave out what is not wanted',
    ],
    ['a list with a plain object', [part('p')], 'answered an object "p" at index 0; make it with child(kind, object)'],
    ['a list with false', [false], 'answered a boolean at index 0'],
  ])('names the function, the object and the fix when `children` answers %s', async (_, answer, message) => {
    const t = await readyThen({ children: () => answer });
    await t.change();
    expect(t.newChildWrites()).toEqual([]);
    expect(t.ready()).toMatchObject({ status: 'False', reason: 'InvalidChildren', observedGeneration: 2 });
    expect(t.ready()?.message).toContain('`children` of Widget default/w ');
    expect(t.ready()?.message).toContain(message);
  });

  it('keeps Ready when the server fails for a moment and all children are seen to be ready', async () => {
    const t = await readyThen({});
    t.api.intercept = ({ method, path, contentType }) => {
      if (method === 'PATCH' && path === `${partPath}/p` && contentType?.includes('apply'))
        throw apiError(403, 'Forbidden', 'configmaps is forbidden');
    };
    await t.client.of(Part).patch({ ...key, name: 'p' }, merge({ data: { size: '9' } }));
    await t.clock.settle();
    expect(t.synced()).toMatchObject({ status: 'False', reason: 'Forbidden' });
    expect(t.ready()).toMatchObject({ status: 'True', observedGeneration: 1 });
    await t.client.of(Part).delete({ ...key, name: 'p' });
    await t.clock.settle();
    expect(t.ready()).toMatchObject({ status: 'Unknown', reason: 'Forbidden', observedGeneration: 1 });
  });

  it('does not keep Ready of an older generation, and says that it waits', async () => {
    const needs = ({ spec }: Widget) => (spec.size > 1 ? [{ kind: Base, key: { ...key, name: 'b' } }] : []);
    const t = await readyThen({ dependencies: needs });
    await t.change();
    expect(t.ready()).toMatchObject({ status: 'Unknown', reason: 'DependencyNotReady', observedGeneration: 2 });
    expect(t.ready()?.message).toContain('Base default/b does not exist yet');
    const waits = await readyThen({
      children: () => {
        throw new Resync('the backup is running');
      },
    });
    await waits.change();
    expect(waits.ready()).toMatchObject({ status: 'Unknown', reason: 'Waiting', message: 'the backup is running' });
  });

  it('comes back once it is mended', async () => {
    let broken = true;
    const t = await readyThen({ children: () => (broken ? fails() : [child(Base, base('b'))]) });
    await t.change();
    broken = false;
    await t.clock.advance(600_000);
    expect(t.ready()).toMatchObject({ status: 'True', reason: 'ChildrenReady', observedGeneration: 2 });
  });
});

describe('child', () => {
  it('says what is missing', () => {
    const given = child as (...args: unknown[]) => Child;
    expect(() => given(Part, undefined)).toThrow('child(ConfigMap, object): the object has no metadata');
    expect(() => given(undefined, part('p'))).toThrow('the first argument is not a kind');
  });
});
