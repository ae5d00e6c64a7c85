import { describe, expect, it } from 'vitest';
import { type Widget, widget } from '../manager/test-kinds.ts';
import {
  and,
  annotationsChanged,
  fieldChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  resourceVersionChanged,
  statusChanged,
} from './index.ts';

describe('predicates', () => {
  const at = (metadata: object) => ({ ...widget('w'), metadata: { ...widget('w').metadata, ...metadata } });
  const updated = (previous: object, object: object) =>
    ({ type: 'updated', object: at(object), previous: at(previous) }) as const;

  it('passes additions and deletions, and updates of what it is about', () => {
    const added = { type: 'added', object: at({}), initial: false } as const;
    for (const predicate of [generationChanged, labelsChanged, annotationsChanged]) {
      expect(predicate(added)).toBe(true);
      expect(predicate({ type: 'deleted', object: at({}) })).toBe(true);
      expect(predicate(updated({}, { resourceVersion: '2' }))).toBe(false);
    }
    expect(generationChanged(updated({ generation: 1 }, { generation: 2 }))).toBe(true);
    expect(generationChanged(updated({}, { deletionTimestamp: 'now' }))).toBe(true);
    expect(generationChanged(updated({ uid: '1', generation: 1 }, { uid: '2', generation: 1 }))).toBe(true);
    expect(labelsChanged(updated({ labels: { a: '1' } }, { labels: { a: '2' } }))).toBe(true);
    expect(labelsChanged(updated({}, { labels: {} }))).toBe(false);
    expect(annotationsChanged(updated({ annotations: { a: '1' } }, {}))).toBe(true);
  });

  it('sees old and new of one field, compared deeply', () => {
    const sized = (size: number, image?: string) => ({
      ...widget('w', size),
      status: { made: 1 },
      ...(image ? { image } : {}),
    });
    const size = fieldChanged((object: Widget) => ({ size: [object.spec.size] }));
    expect(size({ type: 'updated', object: sized(2), previous: sized(1) })).toBe(true);
    expect(size({ type: 'updated', object: sized(2, 'new'), previous: sized(2) })).toBe(false);
    expect(size({ type: 'deleted', object: sized(2) })).toBe(true);
  });

  it('loses no change of an object on which the selection fails', () => {
    const broken = fieldChanged((object: Widget) => (object as unknown as { gone: { deep: string } }).gone.deep);
    expect(broken(updated({}, { resourceVersion: '2' }))).toBe(true);
  });

  it('tells status from spec, and news from what was known', () => {
    const event = (made: number, size: number) =>
      ({
        type: 'updated',
        object: { ...widget('w', size), status: { made } },
        previous: { ...widget('w'), status: { made: 1 } },
      }) as const;
    expect(statusChanged(event(2, 1))).toBe(true);
    expect(statusChanged(event(1, 2))).toBe(false);
    expect(statusChanged({ type: 'updated', object: event(1, 1).object, previous: widget('w') })).toBe(true);
    expect(resourceVersionChanged(updated({ resourceVersion: '1' }, { resourceVersion: '2' }))).toBe(true);
    expect(resourceVersionChanged(updated({ resourceVersion: '1' }, { resourceVersion: '1' }))).toBe(false);
  });

  it('combines', () => {
    const labels = updated({}, { labels: { a: '1' } });
    expect(and(labelsChanged, generationChanged)(labels)).toBe(false);
    expect(or(labelsChanged, generationChanged)(labels)).toBe(true);
    expect(not(labelsChanged)(labels)).toBe(false);
  });
});
