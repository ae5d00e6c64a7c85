/**
 * Generates `src/generated/protobuf.json` from the .proto files and struct tags of the Go modules of Kubernetes.
 *
 *   node packages/k8s/scripts/generate-protobuf.ts DIR     (DIR: holds api@…, apimachinery@…, apiextensions-apiserver@…, kube-aggregator@…)
 *
 * Only facts are kept: names, numbers, types, and what Go's JSON encoder does with empty values.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProtobufField, ProtobufMessage } from '../src/protobuf.ts';
import { type GoTag, readGoPackage } from './go-tags.ts';
import { type ProtoField, parseProto } from './proto-file.ts';

/** Messages whose JSON form is not an object of their fields. */
const special: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'intOrString',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'microTime',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'json',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'raw',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'json',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': 'schemaOrStrings',
};

/** `.k8s.io.api.core.v1.Pod` → `io.k8s.api.core.v1.Pod`, the name in the schema table. */
const definition = (name: string): string => name.replace(/^\.?k8s\.io\./, 'io.k8s.').replace(/_/g, '-');

interface Folder {
  readonly path: string;
  /** Kinds of stable versions are served; of other versions only what those refer to is kept. */
  readonly use: 'served' | 'shared' | 'referenced';
}

function foldersOf(root: string): Folder[] {
  const modules = readdirSync(root);
  const moduleOf = (name: string) => {
    const found = modules.filter((module) => module.startsWith(`${name}@v`)).at(-1);
    if (!found) throw new Error(`${root} has no module ${name}`);
    return join(root, found);
  };
  const api = moduleOf('api');
  // Reviews that webhooks get are never on this wire.
  const groups = readdirSync(api).filter((group) => group !== 'admission' && statSync(join(api, group)).isDirectory());
  const versions = groups.flatMap((group) => readdirSync(join(api, group)).map((version) => join(api, group, version)));
  versions.push(join(moduleOf('apiextensions-apiserver'), 'pkg/apis/apiextensions/v1'));
  versions.push(join(moduleOf('kube-aggregator'), 'pkg/apis/apiregistration/v1'));
  const machinery = moduleOf('apimachinery');
  const shared = ['pkg/apis/meta/v1', 'pkg/runtime', 'pkg/util/intstr', 'pkg/api/resource'];
  return [
    ...versions
      .filter((path) => existsSync(join(path, 'generated.proto')))
      .map((path): Folder => ({ path, use: /\/v\d+$/.test(path) ? 'served' : 'referenced' })),
    ...shared.map((path): Folder => ({ path: join(machinery, path), use: 'shared' })),
  ];
}

/** What the table keeps of a field; types of the same package are written without it. */
function fieldOf(field: ProtoField, tag: GoTag | undefined, packageName: string): ProtobufField {
  const flags = [
    field.label === 'repeated' && 'r',
    field.label === 'map' && 'm',
    tag?.pointer && 'p',
    tag?.omitEmpty && 'o',
    tag?.omitZero && 'z',
    tag?.inline && 'i',
  ];
  const type = field.type.startsWith('.') ? definition(field.type) : field.type;
  const own = `${packageName}.`;
  return [
    tag?.json && tag.json !== '-' ? tag.json : field.name,
    field.number,
    type.startsWith(own) ? type.slice(own.length) : type,
    flags.filter((flag) => typeof flag === 'string').join(''),
  ];
}

function messageOf(
  name: string,
  fields: readonly ProtoField[],
  tags: ReadonlyMap<number, GoTag> | undefined,
): ProtobufMessage {
  const form = special[name];
  if (form !== undefined) return form;
  // A Go slice that became a message only because protobuf has no lists of lists.
  const [first] = fields;
  if (!tags && fields.length === 1 && first?.name === 'items' && first.label === 'repeated') return 'strings';
  const packageName = name.slice(0, name.lastIndexOf('.'));
  return [...fields]
    .sort((a, b) => a.number - b.number)
    .map((field) => fieldOf(field, tags?.get(field.number), packageName));
}

/** The messages that the given ones lead to, sorted. */
function reachable(messages: Readonly<Record<string, ProtobufMessage>>, roots: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    const message = messages[name];
    if (seen.has(name) || message === undefined) return;
    seen.add(name);
    if (typeof message === 'string') return;
    const own = name.slice(0, name.lastIndexOf('.') + 1);
    for (const [, , type] of message) visit(type.includes('.') ? type : own + type);
  };
  for (const root of roots) visit(root);
  return [...seen].sort();
}

function main(root: string): void {
  const groups: Record<string, string> = {};
  const messages: Record<string, ProtobufMessage> = {};
  const roots: string[] = [];
  for (const { path, use } of foldersOf(root)) {
    const proto = parseProto(readFileSync(join(path, 'generated.proto'), 'utf8'));
    const go = readGoPackage(path);
    const packageName = definition(proto.package);
    const version = packageName.slice(packageName.lastIndexOf('.') + 1);
    if (use === 'served' && go.group !== undefined)
      groups[go.group === '' ? version : `${go.group}/${version}`] = packageName;
    for (const [message, fields] of proto.messages) {
      const name = `${packageName}.${message}`;
      messages[name] = messageOf(name, fields, go.structs.get(message));
      if (use !== 'referenced') roots.push(name);
    }
  }
  const kept = Object.fromEntries(reachable(messages, roots).map((name) => [name, messages[name]]));
  const out = join(import.meta.dirname, '../src/generated/protobuf.json');
  writeFileSync(out, `${JSON.stringify({ groups, messages: kept })}\n`);
}

const [root] = process.argv.slice(2);
if (!root) throw new Error('usage: generate-protobuf.ts DIR (the folder of Go modules k8s.io/…)');
main(root);
