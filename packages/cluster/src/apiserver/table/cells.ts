import type { DynamicObject } from '@coxswain/k8s';
import { listAt, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { selectorText } from '../builtin/shared/selectors.ts';
import type { Column } from '../types.ts';
import { nameColumn } from './common-columns.ts';
import { ageOf } from './human-duration.ts';

type Value = Column['value'];

/** A column of a built-in kind. Flags: `wide` shows it with `-o wide` only. */
export function column(name: string, value: Value, type: Column['type'] = 'string', wide = false): Column {
  return { name, type, ...(wide ? { priority: 1 } : {}), value };
}

export function wide(name: string, value: Value, type: Column['type'] = 'string'): Column {
  return column(name, value, type, true);
}

export const name = nameColumn;

/** Built-in kinds answer ages as text. */
export const age: Column = {
  name: 'Age',
  type: 'string',
  description: 'Time since the server stored the object first.',
  value: (object, now) => ageOf(object.metadata.creationTimestamp, now),
};

/** Kinds without columns of their own show when they were made. */
export const createdAt: Column = {
  name: 'Created At',
  type: 'date',
  description: 'When the server stored the object first.',
  value: (object) => object.metadata.creationTimestamp,
};

export const specOf = (object: DynamicObject): ReadJson => objectAt(object, 'spec') ?? {};
export const statusOf = (object: DynamicObject): ReadJson => objectAt(object, 'status') ?? {};
export const count = (parent: ReadJson | undefined, key: string): number => Number(parent?.[key] ?? 0);

/** `<none>` for an empty text. */
export const orNone = (text: string): string => (text === '' ? '<none>' : text);

/** A map of labels as `k=v,k=v`, or `<none>`. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return orNone(pairs.sort().join(','));
}

/** Names and images of a pod template's containers, and the selector: the wide columns of workloads. */
export function workloadColumns(templateOf: (object: DynamicObject) => ReadJson | undefined): readonly Column[] {
  const join = (key: string) => (object: DynamicObject) =>
    objectsAt(objectAt(templateOf(object), 'spec'), 'containers')
      .map((container) => textAt(container, key))
      .join(',');
  return [wide('Containers', join('name')), wide('Images', join('image'))];
}

export const templateOf = (object: DynamicObject): ReadJson | undefined => objectAt(specOf(object), 'template');

export const selectorColumn = wide('Selector', (object) => orNone(selectorText(objectAt(specOf(object), 'selector'))));

export const plainSelectorColumn = wide('Selector', (object) => labelsText(mapAt(specOf(object), 'selector')));

/** The first few of a list, and how many more there are. */
export function shortened(items: readonly string[], most: number, empty: string): string {
  const shown = items.slice(0, most).join(',');
  if (shown === '') return empty;
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown;
}

export const listLength = (key: string) => (object: DynamicObject) => listAt(object, key).length;
