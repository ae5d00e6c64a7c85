import type { KubeObject } from '@coxswain/k8s';
import { expect, it } from 'vitest';
import type { Informer, StoreEvent } from '../cache/index.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { CatchUp } from './catch-up.ts';

/** An informer whose store is told what to show. */
function setUp() {
  const objects = new Map<string, KubeObject>();
  const handlers = new Set<(event: StoreEvent<KubeObject>) => void>();
  const store = {
    resourceVersion: '0',
    size: 0,
    get: ({ name }: { readonly name: string }) => objects.get(name),
    list: () => [...objects.values()],
    by: () => [],
  };
  const informer = {
    kind: Widget,
    store,
    onEvent(handler: (event: StoreEvent<KubeObject>) => void) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  } as unknown as Informer<KubeObject>;
  const show = (event: StoreEvent<KubeObject>) => {
    const { name, resourceVersion = '' } = event.object.metadata;
    if (event.type === 'deleted') objects.delete(name);
    else objects.set(name, event.object);
    for (const handler of handlers) handler(event);
    store.resourceVersion = resourceVersion;
  };
  const woken: string[] = [];
  const catchUp = new CatchUp(informer);
  const note = (event: StoreEvent<KubeObject>, ...names: readonly string[]) =>
    catchUp.note(event, new Map(names.map((name) => [name, { name }])), ({ name }) => void woken.push(name));
  return { catchUp, note, show, store, woken };
}

const at = (version: number, uid = 'u', name = 'a'): KubeObject => {
  const object = widget(name);
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(version) } };
};
const added = (object: KubeObject): StoreEvent<KubeObject> => ({ type: 'added', object, initial: false });
const deleted = (object: KubeObject): StoreEvent<KubeObject> => ({ type: 'deleted', object });

it('wakes until the store has the version that was told, each key once a time', () => {
  const t = setUp();
  t.note(added(at(5)), 'x');
  t.note(added(at(9)), 'x', 'y');
  t.show(added(at(5)));
  expect(t.woken).toEqual(['x', 'y']);
  t.show(added(at(9)));
  t.show(added(at(12)));
  expect(t.woken).toEqual(['x', 'y', 'x', 'y']);
});

it('does not wake for what the store shows already', () => {
  const t = setUp();
  t.show(added(at(5)));
  t.note(added(at(5)), 'x');
  t.show(added(at(6)));
  expect(t.woken).toEqual([]);
});

it('waits for the end of an object that a listing showed no more, whatever its version was', () => {
  const t = setUp();
  t.show(added(at(5)));
  t.note(deleted(at(5)), 'x');
  t.show(deleted(at(8)));
  expect(t.woken).toEqual(['x']);
});

it('forgets objects that the store has passed without showing them', () => {
  const t = setUp();
  for (let i = 0; i < 64; i++) t.note(added(at(5, `u${i}`, `w${i}`)), 'x');
  t.store.resourceVersion = '7';
  for (let i = 64; i < 128; i++) t.note(added(at(9, `u${i}`, `w${i}`)), 'x');
  t.show(added(at(10, 'u0', 'w0')));
  expect(t.woken).toEqual([]);
  t.show(added(at(10, 'u127', 'w127')));
  expect(t.woken).toEqual(['x']);
});

it('ends with stop', () => {
  const t = setUp();
  t.note(added(at(5)), 'x');
  t.catchUp.stop();
  t.show(added(at(5)));
  expect(t.woken).toEqual([]);
});
