import type { MutableJson } from '@coxswain/k8s';
import { stringifyJson } from '@coxswain/runtime/client';
import type { SchemaNode } from '@coxswain/schema';

/** Shapes kept for one kind, and the length of the text of one. */
const shapesLimit = 64;
const textLimit = 16 * 1024;

const byKind = new WeakMap<SchemaNode, Map<string, readonly MutableJson[]>>();

/** A text for what of a new object decides which fields it claims: its keys, the kinds of its values, and the items of its lists. */
function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value ? (typeof value).charAt(0) : stringifyJson(value);
  if (Array.isArray(value)) return stringifyJson(value);
  let text = '{';
  for (const key of Object.keys(value)) text += `${key.length}:${key}${shapeOf((value as MutableJson)[key])}`;
  return `${text}}`;
}

/** One creation, and whether one of its shape was seen before. */
export interface Creation {
  /** The entries of that one. */
  readonly entries: readonly MutableJson[] | undefined;
  remember(entries: unknown): void;
}

/**
 * Objects made from one template claim the same fields, which is worked out for the first of them.
 * @param rest what else decides: who acts, by which path
 */
export function creationOf(schema: SchemaNode, next: MutableJson, rest: readonly unknown[]): Creation {
  const shape = stringifyJson(rest) + shapeOf(next);
  const known = byKind.get(schema);
  return {
    entries: known?.get(shape),
    remember(entries) {
      if (!Array.isArray(entries) || shape.length > textLimit) return;
      const shapes = known ?? new Map<string, readonly MutableJson[]>();
      byKind.set(schema, shapes);
      for (const oldest of shapes.keys()) if (shapes.size >= shapesLimit) shapes.delete(oldest);
      shapes.set(
        shape,
        entries.map((entry: MutableJson) => ({ ...entry })),
      );
    },
  };
}
