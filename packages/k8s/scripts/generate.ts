/**
 * Generates `src/generated/` from the OpenAPI v3 documents of Kubernetes.
 *
 *   node packages/k8s/scripts/generate.ts DIR     (DIR: api/openapi-spec/v3 of the k8s.io/kubernetes module)
 *
 * Only facts are kept: names, types, list and map kinds, merge keys, real defaults. Texts are not.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectKinds, type ServedKind } from './kinds.ts';
import { type OpenApiNode, schemaNode } from './schema-node.ts';
import { typeScript } from './type-script.ts';

export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiNode>> };
}

function read(dir: string): { definitions: Map<string, OpenApiNode>; kinds: ServedKind[] } {
  const definitions = new Map<string, OpenApiNode>();
  const kinds: ServedKind[] = [];
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.json'))) {
    const document = JSON.parse(readFileSync(join(dir, file), 'utf8')) as OpenApiDocument;
    for (const [name, node] of Object.entries(document.components?.schemas ?? {})) definitions.set(name, node);
    kinds.push(...collectKinds(document));
  }
  return { definitions, kinds };
}

/** Every definition that the given ones lead to. */
function reachable(table: Record<string, object>, roots: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name) || !table[name]) return;
    seen.add(name);
    for (const match of JSON.stringify(table[name]).matchAll(/"\$ref":"([^"]+)"/g)) visit(match[1] ?? '');
  };
  for (const root of roots) visit(root);
  return seen;
}

const dir = process.argv[2];
if (!dir) throw new Error('usage: generate.ts DIR (the folder of openapi v3 documents)');
const { definitions, kinds } = read(dir);
const stable = kinds.filter((kind) => /^v\d+$/.test(kind.version));
const table: Record<string, object> = {};
for (const [name, node] of definitions) table[name] = schemaNode(name, node);
const meta = [...definitions.keys()].filter((name) => name.includes('.apis.meta.v1.'));
const wanted = reachable(table, [...stable.map((kind) => kind.definition), ...meta]);
const sorted = [...wanted].sort();
const out = join(import.meta.dirname, '../src/generated');
writeFileSync(
  join(out, 'schemas.json'),
  `${JSON.stringify(Object.fromEntries(sorted.map((name) => [name, table[name]])))}\n`,
);
writeFileSync(join(out, 'kinds.ts'), typeScript(definitions, stable, sorted));
