/**
 * Generates `src/apiserver/fieldmanager/generated/struct-fields.json` from the OpenAPI v3 documents of Kubernetes.
 *
 *   node packages/cluster/scripts/struct-fields.ts DIR     (DIR: api/openapi-spec/v3 of the k8s.io/kubernetes module)
 *
 * The documents give such fields the default `{}`: in the server they are structs, never absent, and field ownership shows it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaTable } from '@coxswain/k8s/schemas';

interface Definition {
  readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>;
}

const dir = process.argv[2];
if (!dir) throw new Error('usage: struct-fields.ts DIR (the folder of OpenAPI v3 documents)');
const known = schemaTable();
const fields: Record<string, string[]> = {};
for (const file of readdirSync(dir).filter((name) => name.endsWith('.json'))) {
  const document = JSON.parse(readFileSync(join(dir, file), 'utf8')) as {
    components?: { schemas?: Record<string, Definition> };
  };
  for (const [name, definition] of Object.entries(document.components?.schemas ?? {})) {
    if (!known[name]) continue;
    const structs = Object.entries(definition.properties ?? {})
      .filter(([, property]) => JSON.stringify(property.default) === '{}')
      .map(([field]) => field);
    if (structs.length > 0) fields[name] = structs.sort();
  }
}
const sorted = Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
const out = join(import.meta.dirname, '../src/apiserver/fieldmanager/generated/struct-fields.json');
writeFileSync(out, `${JSON.stringify(sorted)}\n`);
