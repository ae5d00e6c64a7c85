/** A definition as the OpenAPI documents write it. */
export interface OpenApiNode {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, OpenApiNode>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiNode;
  readonly additionalProperties?: OpenApiNode;
  readonly allOf?: readonly OpenApiNode[];
  readonly oneOf?: readonly OpenApiNode[];
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const anyValue = { 'x-kubernetes-preserve-unknown-fields': true };

/** Definitions whose wire form the documents do not say. */
const special: Readonly<Record<string, object>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: quantityPattern,
  },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object', ...anyValue },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object', ...anyValue },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch': { type: 'object', ...anyValue },
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': anyValue,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray': anyValue,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': anyValue,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': anyValue,
};

/** Go's zero values are written as defaults in the documents; they are not defaults of the API. */
function isRealDefault(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return false;
  return !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

const kept = [
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
] as const;

function convert(node: OpenApiNode): object {
  const ref = node.$ref ?? node.allOf?.[0]?.$ref;
  const out: Record<string, unknown> = {};
  if (ref) out['$ref'] = ref.slice(ref.lastIndexOf('/') + 1);
  else if (node.type) out['type'] = node.type;
  if (node.format) out['format'] = node.format;
  if (isRealDefault(node.default)) out['default'] = node.default;
  if (node.required) out['required'] = node.required;
  if (node.properties)
    out['properties'] = Object.fromEntries(
      Object.entries(node.properties).map(([name, child]) => [name, convert(child)]),
    );
  if (node.items) out['items'] = convert(node.items);
  if (node.additionalProperties) out['additionalProperties'] = convert(node.additionalProperties);
  for (const key of kept) if (node[key] !== undefined) out[key] = node[key];
  const empty = out['type'] === 'object' && !node.properties && !node.additionalProperties;
  return empty ? { ...out, ...anyValue } : out;
}

/** The structural node of one definition; `$ref` holds plain definition names. */
export function schemaNode(name: string, node: OpenApiNode): object {
  return special[name] ?? convert(node);
}
