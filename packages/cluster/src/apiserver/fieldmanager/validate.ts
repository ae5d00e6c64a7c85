import { stringifyJson } from '@coxswain/runtime/client';
import { goText, isTree } from '../patch/index.ts';
import type { FieldType, ListType, MapType, ScalarKind } from './field-type.ts';
import { itemElement } from './list-items.ts';
import { elementText, fieldElement } from './path-element.ts';
import { shapeOf } from './shape.ts';
import { TypeMismatch } from './type-mismatch.ts';

/** Everything in a configuration that does not fit its type: unknown fields, wrong shapes, items that occur twice. */
export function mismatchesOf(type: FieldType, value: unknown): readonly TypeMismatch[] {
  const found: TypeMismatch[] = [];
  check(type, value, '', found);
  return found;
}

function check(type: FieldType, value: unknown, path: string, found: TypeMismatch[]): void {
  if (value === null || value === undefined) return;
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map) checkMap(type.map, value, path, found);
  else if (shape === 'list' && type.list) checkList(type.list, value, path, found);
  else if (type.scalar) checkScalar(type.scalar, value, path, found);
}

function checkMap(type: MapType, value: unknown, path: string, found: TypeMismatch[]): void {
  if (!isTree(value)) {
    found.push(new TypeMismatch(path, `expected map, got &{${goText(value)}}`));
    return;
  }
  for (const key of Object.keys(value)) {
    const here = path + elementText(fieldElement(key));
    const member = type.member(key);
    if (member) check(member, value[key], here, found);
    else {
      found.push(new TypeMismatch(here, 'field not declared in schema'));
      return;
    }
  }
}

function checkList(type: ListType, value: unknown, path: string, found: TypeMismatch[]): void {
  if (!Array.isArray(value)) {
    found.push(new TypeMismatch(path, `expected list, got &{${goText(value)}}`));
    return;
  }
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    let element = `i:${i}`;
    if (!type.atomic) {
      try {
        element = itemElement(type, item, i);
      } catch (error) {
        if (!(error instanceof TypeMismatch)) throw error;
        found.push(new TypeMismatch(path, error.problem));
        return;
      }
      if (seen.has(element)) found.push(new TypeMismatch(path, `duplicate entries for key ${elementText(element)}`));
      seen.add(element);
    }
    check(type.element, item, path + elementText(element), found);
  }
}

function checkScalar(kind: ScalarKind, value: unknown, path: string, found: TypeMismatch[]): void {
  const problem = scalarProblem(kind, value);
  if (problem !== undefined) found.push(new TypeMismatch(path, problem));
}

function scalarProblem(kind: ScalarKind, value: unknown): string | undefined {
  switch (kind) {
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goText(value)}}`;
    default:
      return typeof value !== 'object' ? undefined : `expected any scalar, got &{${goText(value)}}`;
  }
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isTree(value)) return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (isTree(value)) {
    const entries = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${goLiteral(value[key])}`);
    return `map[string]interface {}{${entries.join(', ')}}`;
  }
  return value === null || value === undefined ? 'interface {}(nil)' : stringifyJson(value);
}
