import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { labelValueErrors, qualifiedNameErrors } from '@coxswain/runtime/core';
import { copyJson, isObject, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { invalidValue } from '../../builtin/shared/errors.ts';

/** The type of a value, as Go names it. */
function goType(value: unknown): string {
  if (value === undefined || value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return 'string';
}

/**
 * What a webhook made of an object: the same object in the version asked for, of whose metadata only labels and annotations count.
 * @throws Error that says what is wrong with it
 */
export function settleConverted(original: DynamicObject, given: unknown, apiVersion: string): MutableJson {
  const converted = isObject(given) ? given : {};
  const at = 'invalid object at index 0';
  if (converted.apiVersion !== apiVersion) {
    throw new Error(
      `${at}: invalid groupVersion (expected ${apiVersion}, received ${String(converted.apiVersion ?? '')})`,
    );
  }
  if (converted.kind !== original.kind) {
    throw new Error(`${at}: invalid kind (expected ${original.kind}, received ${String(converted.kind ?? '')})`);
  }
  const metadata = isObject(converted.metadata) ? converted.metadata : undefined;
  checkIdentity(original, metadata);
  try {
    return { ...(copyJson(converted) as MutableJson), metadata: restoredMetadata(original, converted.metadata) };
  } catch (error) {
    throw new Error(`invalid metadata: ${(error as Error).message}`);
  }
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function checkIdentity({ metadata }: DynamicObject, converted: ReadJson | undefined): void {
  for (const [field, name] of identity) {
    const expected = metadata[field] ?? '';
    const actual = textAt(converted, field);
    if (expected !== actual) throw new Error(`invalid object: must have the same ${name}: ${expected} != ${actual}`);
  }
}

function restoredMetadata(original: DynamicObject, converted: unknown): MutableJson {
  if (converted === undefined) throw new Error('missing metadata in converted object');
  if (!isObject(converted)) throw new Error(`invalid metadata of type ${goType(converted)} in converted object`);
  const metadata = copyJson(original.metadata) as unknown as MutableJson;
  for (const field of ['labels', 'annotations'] as const) {
    const given = converted[field];
    if (given === undefined || given === null) {
      delete metadata[field];
      continue;
    }
    if (!isObject(given)) throw new Error(`invalid metadata.${field} of type ${goType(given)} in converted object`);
    checkTexts(field, given, original.metadata[field] ?? {});
    metadata[field] = copyJson(given);
  }
  return metadata;
}

/** What changed has to be what a label or annotation may be. */
function checkTexts(field: 'labels' | 'annotations', given: ReadJson, before: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === 'string') continue;
    throw new Error(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
  }
  const entries = Object.entries(given as Readonly<Record<string, string>>);
  const same = entries.length === Object.keys(before).length && entries.every(([key, value]) => before[key] === value);
  if (same) return;
  const path = field === 'labels' ? 'metadata.labels' : 'metadata.annotation';
  const errors = entries.flatMap(([key, value]) => [
    ...qualifiedNameErrors(field === 'labels' ? key : key.toLowerCase()).map((why) => invalidValue(path, key, why)),
    ...(field === 'labels' ? labelValueErrors(value).map((why) => invalidValue(path, value, why)) : []),
  ]);
  const texts = errors.map((error) => `${error.field}: ${error.message}`);
  if (texts.length > 0) throw new Error(texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);
}
