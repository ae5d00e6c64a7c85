import { isTree } from '../patch/index.ts';
import type { FieldType } from './field-type.ts';

/** The shape under which a value of a type is treated. */
export type Shape = 'map' | 'scalar' | 'list';

/**
 * The value's own shape when the type has it; otherwise (null, absent, or a misfit) the first of map, scalar and list that the
 * type has.
 */
export function shapeOf(type: FieldType, value: unknown): Shape {
  if (type.map && isTree(value)) return 'map';
  if (type.list && Array.isArray(value)) return 'list';
  if (type.scalar && value !== null && value !== undefined && typeof value !== 'object') return 'scalar';
  return type.map ? 'map' : type.scalar ? 'scalar' : 'list';
}

export function isEmptyMap(value: unknown): boolean {
  return !isTree(value) || Object.keys(value).length === 0;
}

export function isEmptyList(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}
