/**
 * Generates `src/generated/openapi.json.br` from the OpenAPI documents that a kube-apiserver publishes.
 *
 *   node packages/k8s/scripts/generate-openapi.ts DIR
 *
 * DIR holds what `/openapi/v2` answers as `v2.json`, and every document that `/openapi/v3` lists, one JSON file each.
 * Only facts are kept: names, types, formats, defaults, enumerations, list and map kinds. Texts are not.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

type Schemas = Record<string, unknown>;

/** Keywords of a schema whose values are maps from names to schemas. */
const maps = new Set(['properties']);

/** A schema without its texts. A property may be called `description`. */
function withoutTexts(node: unknown, names = false): unknown {
  if (Array.isArray(node)) return node.map((part) => withoutTexts(part));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => names || key !== 'description')
      .map(([key, value]) => [key, withoutTexts(value, !names && maps.has(key))]),
  );
}

function read(path: string): { components?: { schemas?: Schemas }; definitions?: Schemas } {
  return JSON.parse(readFileSync(path, 'utf8'));
}

const mark = 'x-kubernetes-group-version-kind';

function main(dir: string): void {
  const { definitions = {} } = read(join(dir, 'v2.json'));
  const all: Schemas = {};
  for (const file of readdirSync(dir).filter((name) => name !== 'v2.json')) {
    for (const [name, schema] of Object.entries(read(join(dir, file)).components?.schemas ?? {})) {
      const kept = withoutTexts(schema) as Record<string, unknown>;
      // Each document of version 3 names the kinds of its own group only; version 2 names them all.
      const kinds = (definitions[name] as Record<string, unknown> | undefined)?.[mark];
      all[name] = kinds === undefined ? kept : { ...kept, [mark]: kinds };
    }
  }
  const sorted = Object.fromEntries(
    Object.keys(all)
      .sort()
      .map((name) => [name, all[name]]),
  );
  const text = JSON.stringify(sorted);
  const packed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
  writeFileSync(join(import.meta.dirname, '../src/generated/openapi.json.br'), packed);
}

const [dir] = process.argv.slice(2);
if (!dir) throw new Error('usage: generate-openapi.ts DIR (saved OpenAPI documents)');
main(dir);
