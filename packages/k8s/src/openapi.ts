import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/**
 * Schemas of all built-in types as OpenAPI v3 documents publish them, by definition name, without texts. `$ref` holds
 * `#/components/schemas/NAME`; `x-kubernetes-group-version-kind` names all kinds of a type. Unpacked at each call (some
 * milliseconds) and not kept: who asks keeps what it needs.
 */
export function openApiSchemas(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const packed = readFileSync(new URL('./generated/openapi.json.br', import.meta.url));
  return JSON.parse(brotliDecompressSync(packed).toString('utf8')) as Record<string, Record<string, unknown>>;
}
