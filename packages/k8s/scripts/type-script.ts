import type { ServedKind } from './kinds.ts';
import type { OpenApiNode } from './schema-node.ts';

/** Definitions that are written by hand or are plain values. */
const builtIn: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'number | string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'string',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'Json',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'Json',
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': 'Partial<ObjectMeta>',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition': 'Condition',
  'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference': 'OwnerReference',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'Json',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'JSONSchemaProps | readonly JSONSchemaProps[]',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'JSONSchemaProps | boolean',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray':
    'JSONSchemaProps | readonly string[]',
};

/** Names chosen by hand where two groups use the same one. */
const chosen: Readonly<Record<string, string>> = {
  'io.k8s.api.core.v1.Event': 'CoreEvent',
  'io.k8s.api.core.v1.EventSeries': 'CoreEventSeries',
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler': 'HorizontalPodAutoscalerV1',
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': 'HorizontalPodAutoscalerSpecV1',
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus': 'HorizontalPodAutoscalerStatusV1',
  'io.k8s.api.autoscaling.v1.CrossVersionObjectReference': 'CrossVersionObjectReferenceV1',
};

const reserved = new Set(['Condition', 'ObjectMeta', 'OwnerReference', 'Status', 'Json']);

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `io.k8s.api.core.v1.Pod` → group part `core`, short name `Pod`. */
function split(definition: string): { group: string; short: string } {
  const parts = definition.split('.');
  return { group: parts.at(-3) ?? '', short: parts.at(-1) ?? '' };
}

/** One unique TypeScript name per definition: kinds win the plain name, then core, then the first. */
function nameAll(definitions: readonly string[], kinds: readonly ServedKind[]): Map<string, string> {
  const isKind = new Set(kinds.map((kind) => kind.definition));
  const rank = (name: string) => (isKind.has(name) ? 0 : name.includes('.core.v1.') ? 1 : 2);
  const names = new Map<string, string>();
  const taken = new Set(reserved);
  for (const definition of [...definitions].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))) {
    const { group, short } = split(definition);
    const plain = chosen[definition] ?? short;
    const name = taken.has(plain) ? `${capital(group)}${short}` : plain;
    if (taken.has(name)) throw new Error(`no unique TypeScript name for ${definition}`);
    taken.add(name);
    names.set(definition, name);
  }
  return names;
}

function typeOf(node: OpenApiNode, names: ReadonlyMap<string, string>): string {
  const ref = node.$ref ?? node.allOf?.[0]?.$ref;
  if (ref) {
    const definition = ref.slice(ref.lastIndexOf('/') + 1);
    return builtIn[definition] ?? names.get(definition) ?? 'unknown';
  }
  if (node.type === 'array') {
    const item = node.items ? typeOf(node.items, names) : 'unknown';
    return item.includes('|')
      ? `readonly (${item})[]`
      : item.startsWith('readonly ')
        ? `readonly (${item})[]`
        : `readonly ${item}[]`;
  }
  if (node.additionalProperties) return `Readonly<Record<string, ${typeOf(node.additionalProperties, names)}>>`;
  if (node.type === 'integer' || node.type === 'number') return 'number';
  if (node.type === 'string' || node.type === 'boolean') return node.type;
  return node.type === 'object' ? 'Readonly<Record<string, unknown>>' : 'Json';
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

function interfaceOf(
  name: string,
  node: OpenApiNode,
  kind: ServedKind | undefined,
  names: ReadonlyMap<string, string>,
): string {
  if (!node.properties) return `export type ${name} = ${typeOf(node, names)};\n`;
  const required = new Set(node.required ?? []);
  const lines = Object.entries(node.properties)
    .filter(([property]) => !kind || !['apiVersion', 'kind', 'metadata'].includes(property))
    .map(
      ([property, child]) =>
        `  readonly ${propertyName(property)}${required.has(property) ? '' : '?'}: ${typeOf(child, names)};`,
    );
  return `export interface ${name}${kind ? ' extends KubeObject' : ''} {\n${lines.join('\n')}\n}\n`;
}

function kindValue(name: string, kind: ServedKind): string {
  const scope = kind.namespaced ? 'Namespaced' : 'Cluster';
  return `export const ${name}: Kind<${name}> = { group: '${kind.group}', version: '${kind.version}', kind: '${kind.kind}', plural: '${kind.plural}', scope: '${scope}' };\n`;
}

/** The source of `generated/kinds.ts`. */
export function typeScript(
  definitions: ReadonlyMap<string, OpenApiNode>,
  kinds: readonly ServedKind[],
  wanted: readonly string[],
): string {
  const skip = (name: string) => name in builtIn || name.endsWith('List') || name.includes('.apis.meta.v1.Status');
  const used = wanted.filter(
    (name) => !skip(name) && !name.endsWith('.meta.v1.ListMeta') && !name.endsWith('.ManagedFieldsEntry'),
  );
  const byDefinition = new Map(
    kinds.filter((kind) => definitions.has(kind.definition)).map((kind) => [kind.definition, kind]),
  );
  const names = nameAll(used, kinds);
  let source = `// Generated by packages/k8s/scripts/generate.ts from Kubernetes 1.37.2. Do not edit.\n`;
  source += `import type { Kind } from '../kind.ts';\nimport type { Condition, Json, KubeObject, ObjectMeta } from '../object.ts';\n\n`;
  for (const definition of used) {
    const node = definitions.get(definition);
    const name = names.get(definition);
    if (!node || !name) continue;
    const kind = byDefinition.get(definition);
    source += `${interfaceOf(name, node, node.properties?.['metadata'] ? kind : undefined, names)}`;
    if (kind && node.properties?.['metadata']) source += kindValue(name, kind);
    source += '\n';
  }
  return source;
}
