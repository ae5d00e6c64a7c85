import { isObject, listAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';

/**
 * Parts of definitions as the real server shows them when it refuses them: under the names of its own types, with everything that is
 * not set.
 */

const orNull = (value: unknown): unknown => value ?? null;
const listOrNull = (value: unknown): unknown => (Array.isArray(value) && value.length > 0 ? value : null);

function ruleForm(rule: ReadJson): object {
  return {
    Rule: textAt(rule, 'rule'),
    Message: textAt(rule, 'message'),
    MessageExpression: textAt(rule, 'messageExpression'),
    Reason: orNull(rule.reason),
    FieldPath: textAt(rule, 'fieldPath'),
    OptionalOldSelf: orNull(rule.optionalOldSelf),
  };
}

function schemasForm(schemas: readonly ReadJson[]): unknown {
  return schemas.length > 0 ? schemas.map(schemaForm) : null;
}

function boolForm(value: unknown): unknown {
  if (value === undefined) return null;
  return isObject(value) ? { Allows: true, Schema: schemaForm(value) } : { Allows: value === true, Schema: null };
}

/** A schema node. */
export function schemaForm(node: ReadJson): object {
  const text = (key: string) => textAt(node, key);
  const items = objectAt(node, 'items');
  const not = objectAt(node, 'not');
  const properties = Object.entries(objectAt(node, 'properties') ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const rules = objectsAt(node, 'x-kubernetes-validations');
  return {
    ID: text('id'),
    Schema: text('$schema'),
    Ref: orNull(node.$ref),
    Description: text('description'),
    Type: text('type'),
    Nullable: node.nullable === true,
    Format: text('format'),
    Title: text('title'),
    Default: orNull(node.default),
    Maximum: orNull(node.maximum),
    ExclusiveMaximum: node.exclusiveMaximum === true,
    Minimum: orNull(node.minimum),
    ExclusiveMinimum: node.exclusiveMinimum === true,
    MaxLength: orNull(node.maxLength),
    MinLength: orNull(node.minLength),
    Pattern: text('pattern'),
    MaxItems: orNull(node.maxItems),
    MinItems: orNull(node.minItems),
    UniqueItems: node.uniqueItems === true,
    MultipleOf: orNull(node.multipleOf),
    Enum: listOrNull(node.enum),
    MaxProperties: orNull(node.maxProperties),
    MinProperties: orNull(node.minProperties),
    Required: listOrNull(node.required),
    Items: items ? { Schema: schemaForm(items), JSONSchemas: null } : null,
    AllOf: schemasForm(objectsAt(node, 'allOf')),
    OneOf: schemasForm(objectsAt(node, 'oneOf')),
    AnyOf: schemasForm(objectsAt(node, 'anyOf')),
    Not: not ? schemaForm(not) : null,
    Properties:
      properties.length > 0
        ? Object.fromEntries(properties.map(([name, child]) => [name, schemaForm(child as ReadJson)]))
        : null,
    AdditionalProperties: boolForm(node.additionalProperties),
    PatternProperties: null,
    Dependencies: null,
    AdditionalItems: boolForm(node.additionalItems),
    Definitions: null,
    ExternalDocs: null,
    Example: orNull(node.example),
    XPreserveUnknownFields: orNull(node['x-kubernetes-preserve-unknown-fields']),
    XEmbeddedResource: node['x-kubernetes-embedded-resource'] === true,
    XIntOrString: node['x-kubernetes-int-or-string'] === true,
    XListMapKeys: listOrNull(node['x-kubernetes-list-map-keys']),
    XListType: orNull(node['x-kubernetes-list-type']),
    XMapType: orNull(node['x-kubernetes-map-type']),
    XValidations: rules.length > 0 ? rules.map(ruleForm) : null,
  };
}

function subresourcesForm(subresources: ReadJson): object {
  const scale = objectAt(subresources, 'scale');
  return {
    Status: objectAt(subresources, 'status') ? {} : null,
    Scale: scale
      ? {
          SpecReplicasPath: textAt(scale, 'specReplicasPath'),
          StatusReplicasPath: textAt(scale, 'statusReplicasPath'),
          LabelSelectorPath: orNull(scale.labelSelectorPath),
        }
      : null,
  };
}

function columnForm(column: ReadJson): object {
  return {
    Name: textAt(column, 'name'),
    Type: textAt(column, 'type'),
    Format: textAt(column, 'format'),
    Description: textAt(column, 'description'),
    Priority: column.priority ?? 0,
    JSONPath: textAt(column, 'jsonPath'),
  };
}

/** `spec.versions`. What all versions have in common is kept elsewhere, and not shown. */
export function versionsForm(versions: readonly ReadJson[]): readonly object[] {
  const shared = (key: string) => versions.every((version) => sameJson(version[key], versions[0]?.[key]));
  const own = (version: ReadJson, key: string, form: (value: ReadJson) => unknown): unknown => {
    const value = objectAt(version, key);
    return value && !shared(key) ? form(value) : null;
  };
  const ownList = (version: ReadJson, key: string, form: (value: ReadJson) => unknown): unknown =>
    listAt(version, key).length > 0 && !shared(key) ? objectsAt(version, key).map(form) : null;
  return versions.map((version) => ({
    Name: textAt(version, 'name'),
    Served: version.served === true,
    Storage: version.storage === true,
    Deprecated: version.deprecated === true,
    DeprecationWarning: orNull(version.deprecationWarning),
    Schema: own(version, 'schema', (schema) => {
      const node = objectAt(schema, 'openAPIV3Schema');
      return { OpenAPIV3Schema: node ? schemaForm(node) : null };
    }),
    Subresources: own(version, 'subresources', subresourcesForm),
    AdditionalPrinterColumns: ownList(version, 'additionalPrinterColumns', columnForm),
    SelectableFields: ownList(version, 'selectableFields', (one) => ({ JSONPath: textAt(one, 'jsonPath') })),
  }));
}
