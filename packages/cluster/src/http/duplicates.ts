import { eachKey } from '../apiserver/request/json-keys.ts';
import { type JsonScan, scanJson } from './scan-json.ts';

/**
 * Paths (`spec.ports[0].name`) of the keys that occur twice or more in one object of a JSON text. `parsed` is the text's value.
 * Texts without duplicates, nearly all, cost one pass over the bytes and one over the value.
 */
export function duplicateFields(text: string, parsed: unknown, scan: JsonScan = scanJson(text)): readonly string[] {
  return scan.keys === countKeys(parsed) ? [] : findDuplicates(text);
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const item of Object.values(value)) count += 1 + countKeys(item);
  return count;
}

function findDuplicates(text: string): string[] {
  const found = new Set<string>();
  eachKey(text, (path, repeated) => {
    if (repeated) found.add(path);
    return true;
  });
  return [...found];
}
