/**
 * Writes go-fields.json from the Go types of Kubernetes: `node generate-go-fields.ts DIR`, where DIR holds the modules
 * `api@…`, `apiextensions-apiserver@…` and `kube-aggregator@…`. For each definition of the schema table it says which fields
 * Go leaves out when they are zero, and which it writes although nothing was given. OpenAPI tells neither.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaTable } from '@coxswain/k8s/schemas';
import type { SchemaNode } from '@coxswain/schema';

interface GoField {
  readonly json: string;
  readonly type: string;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: boolean;
}

const structs = new Map<string, readonly GoField[]>();
const scalars = new Set(['string', 'bool', 'int32', 'int64', 'int', 'float64', 'types.UID', 'k8stypes.UID', 'UID']);
const special = new Set(['Quantity', 'IntOrString', 'RawExtension', 'FieldsV1', 'ListMeta', 'JSON', 'Duration']);
const lastName = (type: string): string => type.split('.').at(-1) ?? type;

function readTypes(directory: string, definitionPrefix: string): void {
  for (const file of readdirSync(directory).filter((name) => /^types.*\.go$/.test(name))) {
    const text = readFileSync(join(directory, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^type (\w+) (?:string|bool|int32|int64|int)$/gm)) scalars.add(name);
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      structs.set(`${definitionPrefix}.${name}`, fieldsOf(body));
    }
  }
}

function fieldsOf(body: string): readonly GoField[] {
  const pattern = /^\t(?:\w+\s+)?(\S+)\s+`[^`]*json:"([^",]*)((?:,[^",]*)*)"/gm;
  return [...body.matchAll(pattern)].map(([, type = '', json = '', options = '']) => ({
    json,
    type,
    omitEmpty: options.includes('omitempty') && !options.includes('omitzero'),
    omitZero: options.includes('omitzero'),
    // an embedded struct: its fields are the outer one's
    inline: json === '',
  }));
}

/** The structs of the same name, nearest package first. */
function structNamed(type: string, from: string): string | undefined {
  const own = `${from.slice(0, from.lastIndexOf('.'))}.${lastName(type)}`;
  if (structs.has(own)) return own;
  return [...structs.keys()].find((name) => name.endsWith(`.core.v1.${lastName(type)}`) || name.endsWith(`.meta.v1.${lastName(type)}`));
}

interface Entry {
  readonly drop: string[];
  readonly write: string[];
  readonly nulls: string[];
  readonly zeros: string[];
}

function collect(definition: string, entry: Entry): void {
  for (const field of structs.get(definition) ?? []) {
    const struct = structNamed(field.type, definition);
    if (field.inline) {
      if (struct) collect(struct, entry);
    } else if (field.omitZero || special.has(lastName(field.type))) continue;
    else if (!field.omitEmpty) collectWritten(definition, field, struct !== undefined, entry);
    else if (lastName(field.type) === 'Time' || lastName(field.type) === 'MicroTime') {
      if (!/^[*[]|^map/.test(field.type)) entry.nulls.push(field.json);
    } else if (scalars.has(field.type) || scalars.has(lastName(field.type))) {
      if (!field.type.startsWith('*')) entry.drop.push(field.json);
    } else if (struct && !/^[*[]|^map/.test(field.type)) entry.write.push(field.json);
  }
}

/** Of what Go always writes: lists and scalars, and what else OpenAPI does not call required. */
function collectWritten(definition: string, field: GoField, isStruct: boolean, entry: Entry): void {
  const { type, json } = field;
  const required = schemaTable<SchemaNode>()[definition]?.required?.includes(json) ?? false;
  if (type.startsWith('[]') || /^(\w+\.)?(Micro)?Time$/.test(type)) entry.nulls.push(json);
  else if (scalars.has(type) || scalars.has(lastName(type))) entry.zeros.push(json);
  else if (required) return;
  else if (/^[*]|^map/.test(type)) entry.nulls.push(json);
  else if (isStruct) entry.write.push(json);
  else entry.zeros.push(json);
}

function main(root: string): void {
  const modules = readdirSync(root);
  const moduleOf = (name: string) => join(root, modules.find((module) => module.startsWith(`${name}@`)) ?? name);
  for (const definition of new Set(Object.keys(schemaTable()).map((name) => name.slice(0, name.lastIndexOf('.'))))) {
    const api = /^io\.k8s\.api\.(\w+)\.(\w+)$/.exec(definition);
    if (api) readTypes(join(moduleOf('api'), api[1] ?? '', api[2] ?? ''), definition);
  }
  readTypes(join(moduleOf('apimachinery'), 'pkg/apis/meta/v1'), 'io.k8s.apimachinery.pkg.apis.meta.v1');
  const table: Record<string, Partial<Entry>> = {};
  for (const definition of Object.keys(schemaTable()).sort()) {
    const entry: Entry = { drop: [], write: [], nulls: [], zeros: [] };
    collect(definition, entry);
    const filled = Object.entries(entry).filter(([, names]) => names.length > 0);
    if (filled.length > 0) table[definition] = Object.fromEntries(filled);
  }
  writeFileSync(new URL('./go-fields.json', import.meta.url), `${JSON.stringify(table)}\n`);
}

main(process.argv[2] ?? '.');
