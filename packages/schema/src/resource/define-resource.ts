import type { MutableJson } from '@coxswain/k8s';
import type { Props } from '../builder/infer.ts';
import type { Schema } from '../builder/schema.ts';
import { compileSchema } from '../engine/compile-schema.ts';
import type { SchemaNode } from '../node.ts';
import { checkDefinition } from './check-definition.ts';
import { crdOf } from './crd.ts';
import { settlePaths } from './settle-paths.ts';
import type { DefinedResource, InputFrom, ObjectFrom, ResourceDefinition } from './types.ts';

/**
 * Makes one value of a custom resource: its `Kind`, the inferred object type, the schema, the CRD, defaults and validation.
 * Nothing is compiled until it is used.
 * @throws TypeError for names that a server would refuse and fields that nobody reads
 */
export function defineResource<
  Spec extends Schema<unknown> | undefined = undefined,
  Status extends Schema<unknown> | undefined = undefined,
  Root extends Props = Record<never, never>,
  const SpecOptional extends boolean = false,
>(
  definition: ResourceDefinition<Spec, Status, Root, SpecOptional, ObjectFrom<Spec, Status, Root, SpecOptional>>,
): DefinedResource<ObjectFrom<Spec, Status, Root, SpecOptional>, InputFrom<Spec, Status, Root, SpecOptional>> {
  checkDefinition(definition);
  const { group, version, kind, plural, scope } = definition;
  const schema = rootSchema(definition);
  const settled = settlePaths(definition, schema);
  return {
    group,
    version,
    kind,
    plural,
    scope,
    definition: settled,
    schema,
    crd: () => crdOf(definition, [{ definition: settled, schema, storage: true }]),
    default: (object: MutableJson) => compileSchema(schema).applyDefaults(object),
    validate: (object: unknown, old?: unknown) => compileSchema(schema).validate(object, { old }),
  };
}

function rootSchema(definition: ResourceDefinition): SchemaNode {
  const { spec, status, root = {}, description, rules } = definition;
  const required = Object.keys(root).filter((name) => !root[name]?.omittable);
  if (spec && !definition.specOptional) required.unshift('spec');
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...Object.fromEntries(Object.entries(root).map(([name, field]) => [name, field.node])),
      ...(spec && { spec: spec.node }),
      ...(status && { status: status.node }),
    },
    ...(rules && { 'x-kubernetes-validations': rules }),
    ...definition.with,
  };
}
