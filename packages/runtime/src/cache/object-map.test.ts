import { expect, test } from 'vitest';
import { ObjectMap } from './object-map.ts';

const object = (name: string, labels?: Record<string, string>) => ({
  metadata: { name, ...(labels ? { labels } : {}) },
});

test('objects are found by the labels they have now', () => {
  const map = new ObjectMap();
  const named = (labels: Parameters<typeof map.list>[0]) => map.list(labels).map(({ metadata }) => metadata.name);
  map.set('a', object('a', { app: 'web', tier: 'front' }));
  map.set('b', object('b', { app: 'web' }));
  map.set('c', object('c'));
  map.set('d', object('d', { app: '' }));
  expect(named({ labels: { app: 'web' } })).toEqual(['a', 'b']);
  expect(named({ labels: { app: 'web', tier: 'front' } })).toEqual(['a']);
  expect(named({ labels: { app: '' } })).toEqual(['d']);
  expect(named({ labels: '!app' })).toEqual(['c']);
  map.set('a', object('a', { app: 'db' }));
  map.set('c', object('c', { app: 'web' }));
  map.delete('b');
  expect(named({ labels: { app: 'web' } })).toEqual(['c']);
  expect(named({ labels: { app: 'web', tier: 'front' } })).toEqual([]);
  expect(named({ labels: 'app in (web,db)' })).toEqual(['a', 'c']);
  expect(map.by('label', 'app=db').map(({ metadata }) => metadata.name)).toEqual(['a']);
});
