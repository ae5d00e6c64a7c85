import { readFileSync } from 'node:fs';

/** A field of a Go struct, in the order of the struct. */
export interface GoField {
  /** Its name in JSON. */
  readonly json: string;
  readonly type: GoType;
  /** The embedded structs it comes through, outermost first (`VolumeSource`). */
  readonly through: readonly string[];
}

/** A Go type, as far as reading and writing JSON goes. Pointers are what they point to. */
export type GoType =
  | { readonly kind: 'scalar'; readonly name: string; readonly scalar: string }
  | { readonly kind: 'list'; readonly name: string; readonly items: GoType }
  | { readonly kind: 'bytes'; readonly name: string }
  | { readonly kind: 'map'; readonly name: string; readonly values: GoType }
  | {
      readonly kind: 'struct';
      readonly name: string;
      readonly definition: string;
      /** By their names in JSON, in the order of the struct; those of the structs it embeds among them. */
      readonly fields: ReadonlyMap<string, GoField>;
    }
  /** Reads itself: quantities, times, what may be of several types. */
  | { readonly kind: 'special'; readonly name: string };

interface Table {
  readonly types: Readonly<Record<string, readonly string[] | string>>;
  /** Where the types of a group's version are, and its kinds. */
  readonly groups: Readonly<Record<string, readonly [string, string]>>;
}

let loaded: Table | undefined;
const known = new Map<string, GoType>();
const structs = new Map<string, ReadonlyMap<string, GoField>>();

/** Read when something is wrong with a body for the first time. */
function table(): Table {
  loaded ??= JSON.parse(readFileSync(new URL('./generated/go-types.json', import.meta.url), 'utf8')) as Table;
  return loaded;
}

const special = new Set([
  'resource.Quantity',
  'v1.Time',
  'v1.MicroTime',
  'v1.Duration',
  'intstr.IntOrString',
  'runtime.RawExtension',
  'v1.FieldsV1',
  'v1.JSON',
  'v1.JSONSchemaPropsOrArray',
  'v1.JSONSchemaPropsOrBool',
  'v1.JSONSchemaPropsOrStringArray',
]);

/** `io.k8s.api.core.v1.Pod` → `v1.Pod`, as Go prints it. */
const shortName = (definition: string): string => definition.split('.').slice(-2).join('.');

/** The type behind an expression of the table (`[]io.k8s.api.core.v1.Container`, `map[string]string`, a definition's name). */
export function goTypeOf(expression: string): GoType {
  let type = known.get(expression);
  if (!type) {
    type = readType(expression);
    known.set(expression, type);
  }
  return type;
}

function readType(expression: string): GoType {
  if (expression === '[]byte') return { kind: 'bytes', name: '[]uint8' };
  if (expression.startsWith('[]')) {
    const items = goTypeOf(expression.slice(2));
    return { kind: 'list', name: `[]${items.name}`, items };
  }
  const map = /^map\[([^\]]+)\](.+)$/.exec(expression);
  if (map) {
    const values = goTypeOf(map[2] ?? '');
    return { kind: 'map', name: `map[${shortName(map[1] ?? '')}]${values.name}`, values };
  }
  if (!expression.includes('.')) return { kind: 'scalar', name: expression, scalar: expression };
  const name = shortName(expression);
  const definition = table().types[expression];
  if (special.has(name) || definition === undefined) return { kind: 'special', name };
  if (typeof definition !== 'string') return structType(name, expression);
  return { ...goTypeOf(definition), name };
}

/** Types lead to each other in circles: fields are looked up when they are asked for. */
function structType(name: string, definition: string): GoType {
  let known: ReadonlyMap<string, GoField> | undefined;
  return {
    kind: 'struct',
    name,
    definition,
    get fields() {
      known ??= goFieldsOf(definition);
      return known;
    },
  };
}

function goFieldsOf(definition: string): ReadonlyMap<string, GoField> {
  let fields = structs.get(definition);
  if (!fields) {
    const entries = table().types[definition];
    fields = new Map(typeof entries === 'object' ? entries.flatMap(readField).map((field) => [field.json, field]) : []);
    structs.set(definition, fields);
  }
  return fields;
}

function readField(entry: string): readonly GoField[] {
  const colon = entry.indexOf(':');
  const [json, type] = [entry.slice(0, colon), entry.slice(colon + 1)];
  if (json !== '') return [{ json, type: goTypeOf(type), through: [] }];
  const embedded = type.slice(type.lastIndexOf('.') + 1);
  return [...goFieldsOf(type).values()].map((field) => ({ ...field, through: [embedded, ...field.through] }));
}

/** Kinds that are known under every group and version. */
const metaKinds = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);
/** Kinds without a version of their own, which go by that of the core group. */
const unversioned = new Set(['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList']);

/** Whether the real server's scheme knows a kind, of versions that it does not serve any more too. */
export function isRegistered(apiVersion: string, kind: string): boolean {
  const { groups } = table();
  if (isMetaKind(kind)) return unversioned.has(kind) ? apiVersion === 'v1' : isGroup(apiVersion);
  return Object.hasOwn(groups, apiVersion) && (groups[apiVersion]?.[1] ?? '').split(' ').includes(kind);
}

/** Whether a kind belongs to no group: options, statuses. */
export function isMetaKind(kind: string): boolean {
  return metaKinds.has(kind) || unversioned.has(kind);
}

function isGroup(apiVersion: string): boolean {
  return apiVersion === 'meta.k8s.io/v1' || Object.hasOwn(table().groups, apiVersion);
}

/** The definition of a kind, where its fields are known. */
export function definitionOf(apiVersion: string, kind: string): string | undefined {
  const { groups, types } = table();
  const prefix = isMetaKind(kind) ? 'io.k8s.apimachinery.pkg.apis.meta.v1' : groups[apiVersion]?.[0];
  const definition = `${prefix}.${kind}`;
  return Object.hasOwn(types, definition) ? definition : undefined;
}

export const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
