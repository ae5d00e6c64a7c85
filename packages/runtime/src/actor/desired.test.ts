import { afterEach, describe, expect, it } from 'vitest';
import { merge } from '../client/index.ts';
import { invalid } from '../core/index.ts';
import type { Manager } from '../manager/index.ts';
import { Base, basePath, Part, partPath, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { child, type DesiredOptions, desired, immutableFields, observedChildren } from './index.ts';
import { base, part, setUpDesired } from './test-desired.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

const key = { namespace: 'default', name: 'w' };
const setUp = (options: Partial<DesiredOptions<Widget>>) => setUpDesired(managers, options);

/** One part for each number up to the widget's size. */
const parts = ({ spec }: Widget) => Array.from({ length: spec.size }, (_, i) => child(Part, part(`p${i}`)));

describe('desired', () => {
  it('is pure: children are told without any server', () => {
    const actor = desired<Widget>({ owns: [Part], children: parts });
    const children = actor.children(widget('w', 2), { observed: observedChildren() });
    expect(children.map(({ id }) => id)).toEqual(['ConfigMap/p0', 'ConfigMap/p1']);
  });

  it('applies all children, sends nothing when all is as desired, and deletes those no longer desired', async () => {
    const t = await setUp({ children: parts });
    await t.client.of(Widget).create(widget('w', 2));
    await t.clock.settle();
    expect(t.childWrites()).toEqual([`PATCH ${partPath}/p0`, `PATCH ${partPath}/p1`]);
    expect(t.ready()).toMatchObject({ status: 'True', reason: 'ChildrenReady', observedGeneration: 1 });
    await t.client.of(Widget).patch(key, merge({ metadata: { labels: { seen: 'yes' } } }));
    await t.clock.settle();
    expect(t.childWrites()).toHaveLength(2);
    await t.client.of(Widget).patch(key, merge({ spec: { size: 1 } }));
    await t.clock.settle();
    expect(t.childWrites().slice(2)).toEqual([`DELETE ${partPath}/p1`]);
  });

  it('never deletes what the object does not control', async () => {
    const t = await setUp({ children: parts });
    const other = { apiVersion: 'test.dev/v1', kind: 'Widget', name: 'w', uid: 'else', controller: true };
    await t.client.of(Part).create(part('alone'));
    await t.client.of(Part).create({ metadata: { ...part('others').metadata, ownerReferences: [other] } });
    await t.client.of(Widget).create(widget('w', 1));
    await t.clock.settle();
    expect(t.api.writes.filter((write) => write.startsWith('DELETE'))).toEqual([]);
  });

  it('lets go children of a kind that is kept, when no longer desired and when the object goes', async () => {
    const t = await setUp({ children: parts, keep: [Part] });
    await t.client.of(Widget).create(widget('w', 2));
    await t.clock.settle();
    await t.client.of(Widget).patch(key, merge({ spec: { size: 1 } }));
    await t.clock.settle();
    expect(t.api.at<Part>(`${partPath}/p0`)?.metadata.ownerReferences).toHaveLength(1);
    expect(t.api.at<Part>(`${partPath}/p1`)?.metadata.ownerReferences).toEqual([]);
    await t.client.of(Widget).delete(key);
    await t.clock.settle();
    expect(t.api.at(`${widgetPath}/w`)).toBeUndefined();
    expect(t.api.at<Part>(`${partPath}/p0`)?.metadata.ownerReferences).toEqual([]);
  });

  it('changes back what others changed, and makes again what others deleted, without polling', async () => {
    const t = await setUp({ children: parts });
    await t.client.of(Widget).create(widget('w', 1));
    await t.clock.settle();
    await t.client.of(Part).patch({ ...key, name: 'p0' }, merge({ data: { size: '9' } }));
    await t.clock.settle();
    expect(t.api.at<Part>(`${partPath}/p0`)?.data).toEqual({ size: '1' });
    await t.client.of(Part).delete({ ...key, name: 'p0' });
    await t.clock.settle();
    expect(t.api.at<Part>(`${partPath}/p0`)?.data).toEqual({ size: '1' });
  });

  it('applies a child after those it waits for, says which, and is woken by their change', async () => {
    const t = await setUp({
      children: () => [
        child(Part, part('late'), { after: ['first'] }),
        child(Base, base('b'), { id: 'first', ready: ({ status }) => status?.conditions?.[0]?.status === 'True' }),
      ],
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.childWrites()).toEqual([`PATCH ${basePath}/b`]);
    expect(t.ready()).toMatchObject({ status: 'False', reason: 'ChildNotReady' });
    expect(t.ready()?.message).toContain('Base default/b is not ready');
    expect(t.ready()?.message).toContain('ConfigMap default/late comes after first');
    await t.client
      .of(Base)
      .patchStatus({ ...key, name: 'b' }, merge({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }));
    await t.clock.settle();
    expect(t.api.at(`${partPath}/late`)).toBeDefined();
    expect(t.ready()?.status).toBe('True');
  });

  it.each([
    ['the same object twice', [child(Part, part('a')), child(Part, part('a'), { id: 'b' })], 'is wanted twice'],
    [
      'a circle',
      [child(Part, part('a'), { id: 'a', after: ['b'] }), child(Part, part('b'), { id: 'b', after: ['a'] })],
      'children wait for each other: a after b after a',
    ],
    ['an unknown id', [child(Part, part('a')), child(Part, part('b'), { after: ['x'] })], 'comes after "x"'],
    ['a kind that is not owned', [child(Part, part('a')), child(Widget, widget('x'))], 'add Widget to `owns`'],
  ])('writes nothing for %s, and says what is wrong', async (_, children, message) => {
    const t = await setUp({ children: () => children });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.childWrites()).toEqual([]);
    expect(t.ready()).toMatchObject({ status: 'False', reason: 'InvalidChildren' });
    expect(t.ready()?.message).toContain(message);
  });

  it('writes the status that is worked out of the children', async () => {
    const t = await setUp({ children: parts, status: (_, observed) => ({ made: observed.of(Part).length }) });
    await t.client.of(Widget).create(widget('w', 3));
    await t.clock.settle();
    expect(t.api.at<Widget>(`${widgetPath}/w`)?.status?.made).toBe(3);
  });
});

describe('immutable fields of desired children', () => {
  const refusal = invalid('', 'ConfigMap', 'p', [{ field: 'data', message: 'Forbidden: field is immutable' }]);

  async function changed(onImmutable?: 'recreate' | 'orphanAndRecreate') {
    const options = onImmutable ? { onImmutable } : {};
    const t = await setUp({ children: ({ spec }) => [child(Part, part('p', spec.size), options)] });
    const propagations: unknown[] = [];
    let refusals = 0;
    t.api.intercept = ({ method, path, body }) => {
      if (method === 'DELETE') propagations.push((body as { propagationPolicy?: string }).propagationPolicy);
      if (method !== 'PATCH' || path !== `${partPath}/p` || !t.api.at(path)) return;
      refusals++;
      throw refusal;
    };
    await t.client.of(Widget).create(widget('w', 1));
    await t.clock.settle();
    const before = t.api.at<Part>(`${partPath}/p`)?.metadata.uid;
    await t.client.of(Widget).patch(key, merge({ spec: { size: 2 } }));
    await t.clock.settle();
    return { ...t, before, after: t.api.at<Part>(`${partPath}/p`), propagations, refusals: () => refusals };
  }

  it('fail: leaves the child alone, and a condition says which field', async () => {
    const t = await changed();
    expect(t.after?.metadata.uid).toBe(t.before);
    expect(t.ready()).toMatchObject({ status: 'False', reason: 'ImmutableField' });
    expect(t.ready()?.message).toContain('ConfigMap default/p: data cannot be changed');
  });

  it('fail: tries again ever more rarely', async () => {
    const t = await changed();
    await t.clock.advance(3_600_000);
    expect(t.refusals()).toBeGreaterThan(10);
    expect(t.refusals()).toBeLessThan(40);
  });

  it('recreate: never deletes an object that is not controlled yet', async () => {
    const t = await setUp({ children: () => [child(Part, part('p'), { onImmutable: 'recreate' })] });
    await t.client.of(Part).create(part('p', 7));
    t.api.intercept = ({ method, path }) => {
      if (method === 'PATCH' && path === `${partPath}/p`) throw refusal;
    };
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.api.at<Part>(`${partPath}/p`)?.data).toEqual({ size: '7' });
    expect(t.ready()?.reason).toBe('ImmutableField');
  });

  it.each([
    ['recreate', 'Background'],
    ['orphanAndRecreate', 'Orphan'],
  ] as const)('%s: deletes with %s, and makes the child anew', async (policy, propagation) => {
    const t = await changed(policy);
    expect(t.propagations).toEqual([propagation]);
    expect(t.after?.metadata.uid).not.toBe(t.before);
    expect(t.after?.data).toEqual({ size: '2' });
    expect(t.ready()?.status).toBe('True');
  });

  it.each([
    ['spec.selector', 'Invalid value: {}: field is immutable'],
    ['spec.clusterIPs[0]', 'Invalid value: ["10.0.0.2"]: may not change once set'],
    ['spec', "Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden"],
    ['spec.name', 'Invalid value: failed rule: self == oldSelf'],
    ['spec.name', 'Invalid value: "string": name is immutable'],
  ])('knows the refusal of %s: %s', (field, message) => {
    expect(immutableFields(invalid('apps', 'Any', 'x', [{ field, message }]))).toEqual([field]);
    expect(immutableFields(invalid('apps', 'Any', 'x', [{ field, message: 'Required value' }]))).toEqual([]);
  });
});
