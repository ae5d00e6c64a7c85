import type { MutableJson } from '@coxswain/k8s';
import type { RefResolver, SchemaNode } from '@coxswain/schema';
import { builtInSchemas, isTree } from '../patch/index.ts';
import { listedMismatches } from './apply-errors.ts';
import { type FieldType, fieldTypeOf } from './field-type.ts';
import { mergeConfig } from './merge.ts';
import { elementText, fieldElement } from './path-element.ts';
import { TypeMismatch } from './type-mismatch.ts';
import { mismatchesOf } from './validate.ts';

/** Paths of the values in a configuration that could only be replaced as a whole. */
function atomicsOf(type: FieldType, value: unknown, path: string, into: string[]): void {
  if (isTree(value) && type.map) {
    if (type.map.atomic) into.push(path);
    for (const [key, part] of Object.entries(value)) {
      const member = type.map.declares(key) ? type.map.member(key) : undefined;
      if (member) atomicsOf(member, part, path + elementText(fieldElement(key)), into);
    }
  } else if (Array.isArray(value) && type.list) {
    if (type.list.atomic) into.push(path);
    for (const [i, item] of value.entries()) atomicsOf(type.list.element, item, `${path}[${i}]`, into);
  }
}

/**
 * Lays a configuration over an object as server-side apply does, without asking or noting who owns what. Answers a new object.
 * @throws Error when the configuration does not fit the schema, or would replace an atomic list, map or struct
 */
export function mergeConfiguration(
  schema: SchemaNode,
  live: MutableJson,
  config: MutableJson,
  resolve: RefResolver = builtInSchemas,
): MutableJson {
  const type = fieldTypeOf(schema, resolve);
  const mismatches = mismatchesOf(type, config);
  if (mismatches.length > 0) {
    throw new Error(`failed to convert patch object to typed object: ${listedMismatches(mismatches)}`);
  }
  const atomics: string[] = [];
  atomicsOf(type, config, '', atomics);
  if (atomics.length > 0) {
    throw new Error(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  }
  try {
    return mergeConfig(type, live, config) as MutableJson;
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw new Error(`failed to convert original object to typed object: ${error.message}`);
  }
}
