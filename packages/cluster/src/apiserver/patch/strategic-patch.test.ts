import type { SchemaNode } from '@coxswain/schema';
import { describe, expect, it } from 'vitest';
import { applyStrategicPatch } from './strategic-patch.ts';

const deployment: SchemaNode = { $ref: 'io.k8s.api.apps.v1.Deployment' };
const pod: SchemaNode = { $ref: 'io.k8s.api.core.v1.Pod' };

const podDoc = {
  metadata: { name: 'p', labels: { a: '1' }, finalizers: ['x/a', 'x/b'] },
  spec: {
    nodeName: 'n',
    containers: [
      { name: 'one', image: 'i:1', env: [{ name: 'A', value: '1' }] },
      { name: 'two', image: 'i:2', args: ['a'] },
    ],
    tolerations: [{ key: 'k' }],
  },
};

function patchPod(patch: unknown): typeof podDoc {
  return applyStrategicPatch(pod, podDoc, patch) as typeof podDoc;
}

describe('applyStrategicPatch', () => {
  it('merges long lists in no more time than it takes to read them', () => {
    const named = (from: number) => Array.from({ length: 40_000 }, (_, index) => ({ name: `c${from + index}` }));
    const before = applyStrategicPatch(pod, podDoc, { spec: { containers: named(0) } });
    const after = applyStrategicPatch(pod, before, { spec: { containers: named(20_000) } }) as typeof podDoc;
    expect(after.spec.containers).toHaveLength(60_002);
  });

  it('merges lists of maps by their key, patch elements in the order of the patch', () => {
    const patched = patchPod({
      spec: {
        containers: [
          { name: 'three', image: 'i:3' },
          { name: 'one', env: [{ name: 'B', value: '2' }] },
        ],
      },
    });
    expect(patched.spec.containers).toEqual([
      { name: 'three', image: 'i:3' },
      {
        name: 'one',
        image: 'i:1',
        env: [
          { name: 'B', value: '2' },
          { name: 'A', value: '1' },
        ],
      },
      { name: 'two', image: 'i:2', args: ['a'] },
    ]);
    expect(patched.spec.containers[2]).toBe(podDoc.spec.containers[1]);
  });

  it('replaces lists without a merge strategy', () => {
    const patched = patchPod({
      spec: { tolerations: [{ key: 'z' }], containers: [{ name: 'two', args: ['b', 'c'] }] },
    });
    expect(patched.spec.tolerations).toEqual([{ key: 'z' }]);
    expect(patched.spec.containers[1]).toEqual({ name: 'two', image: 'i:2', args: ['b', 'c'] });
  });

  it('deletes with null, $patch: delete and $deleteFromPrimitiveList', () => {
    const patched = patchPod({
      metadata: { labels: { a: null }, '$deleteFromPrimitiveList/finalizers': ['x/a'] },
      spec: { nodeName: null, containers: [{ $patch: 'delete', name: 'one' }] },
    });
    expect(patched.metadata).toEqual({ name: 'p', labels: {}, finalizers: ['x/b'] });
    expect(patched.spec.nodeName).toBeUndefined();
    expect(patched.spec.containers.map((c) => c.name)).toEqual(['two']);
  });

  it('merges finalizers as a set', () => {
    expect(patchPod({ metadata: { finalizers: ['x/c', 'x/a'] } }).metadata.finalizers).toEqual(['x/c', 'x/a', 'x/b']);
  });

  it('replaces with $patch: replace in maps and lists', () => {
    const patched = patchPod({
      metadata: { labels: { $patch: 'replace', b: '2' } },
      spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'x' }] },
    });
    expect(patched.metadata.labels).toEqual({ b: '2' });
    expect(patched.spec.containers).toEqual([{ name: 'only', image: 'x' }]);
  });

  it('orders by $setElementOrder, others staying around', () => {
    const patched = patchPod({
      spec: {
        '$setElementOrder/containers': [{ name: 'two' }, { name: 'new' }, { name: 'one' }],
        containers: [{ name: 'new', image: 'n' }],
      },
    });
    expect(patched.spec.containers.map((c) => c.name)).toEqual(['two', 'new', 'one']);
    const onlyOrder = patchPod({ spec: { '$setElementOrder/containers': [{ name: 'two' }, { name: 'one' }] } });
    expect(onlyOrder.spec.containers.map((c) => c.name)).toEqual(['two', 'one']);
  });

  it('keeps only the keys of $retainKeys', () => {
    const doc = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(applyStrategicPatch(deployment, doc, patch)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  it.each([
    [400, 'invalid patch format of retainKeys', { spec: { $retainKeys: ['x'], nodeName: 'm' } }],
    [
      500,
      'unknown patch type: merge in map: map[$patch:merge a:b]',
      { metadata: { labels: { $patch: 'merge', a: 'b' } } },
    ],
    [500, 'map: map[image:x] does not contain declared merge key: name', { spec: { containers: [{ image: 'x' }] } }],
    [400, 'invalid patch format of primitive list', { metadata: { $deleteFromPrimitiveList: ['x'] } }],
  ])('answers %i: %s', (code, message, patch) => {
    expect(() => patchPod(patch)).toThrow(expect.objectContaining({ code, message }));
  });

  it('never changes its inputs', () => {
    const before = structuredClone(podDoc);
    const patch = { spec: { containers: [{ name: 'one', env: [{ name: 'A', value: '9' }] }] } };
    patchPod(patch);
    expect(podDoc).toEqual(before);
    expect(patch).toEqual({ spec: { containers: [{ name: 'one', env: [{ name: 'A', value: '9' }] }] } });
  });
});
