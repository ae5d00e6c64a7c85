/**
 * Resource schemas: one description of a custom resource gives its TypeScript type, its CRD, its defaults and its
 * validation; and the same engine serves the embedded API server. It knows Kubernetes' rules for schemas and nothing
 * about clients, servers or storage.
 */
export { expandBuiltIn } from './builder/built-in.ts';
export type { Infer, InferInput, ObjectInput, ObjectValue, Props } from './builder/infer.ts';
export {
  type KeyOf,
  type Keys,
  type ListOf,
  type ListOptions,
  ListSchema,
  type MapOf,
  MapSchema,
  NumberSchema,
  ObjectSchema,
  StringSchema,
} from './builder/kinds.ts';
export { s, type TemplateMeta } from './builder/s.ts';
export { type Defaulted, type Nullable, type Optional, type RuleOptions, Schema } from './builder/schema.ts';
export { referenceDocs } from './docs/reference-docs.ts';
export {
  type CompiledSchema,
  compileSchema,
  type PruneOptions,
  type ValidateOptions,
} from './engine/compile-schema.ts';
export { isKnownFormat } from './engine/type-check.ts';
export type { TypeMismatch } from './engine/type-mismatch.ts';
export { fieldError } from './field-error.ts';
export type { FieldError, RefResolver, SchemaNode, ValidationRule } from './node.ts';
export { defineResource } from './resource/define-resource.ts';
export {
  type Converters,
  defineVersions,
  type VersionDefinition,
  type VersionedResource,
} from './resource/define-versions.ts';
export type { FieldPath, Reach } from './resource/field-path.ts';
export type {
  ColumnDefinition,
  DefinedResource,
  InputFrom,
  ObjectFrom,
  PrintColumn,
  Resource,
  ResourceDefinition,
  ResourceInput,
  ResourceType,
  ScaleDefinition,
  ScalePaths,
  SettledDefinition,
} from './resource/types.ts';
export { validateStructural } from './structural/validate-structural.ts';
export { validateColumns, validateSelectableFields, validateSubresources } from './structural/version-paths.ts';
