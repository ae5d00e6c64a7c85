import type { SchemaNode } from '@coxswain/schema';
import {
  authorizerType,
  type CelType,
  compileExpression,
  DeclTypes,
  declTypeOf,
  type Environment,
  extendEnvironment,
  kubernetesEnvironment,
  types,
} from '@coxswain/schema/cel';
import { objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import type { Registry, ResourceInfo } from '../../types.ts';
import { withVariables } from '../matching/expressions.ts';
import { textsAt } from '../matching/index.ts';
import { namespaceType, requestFieldType, requestType } from '../matching/request-types.ts';

/** Something about an expression that will not work for one of the kinds it is for. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** Kinds that one rule is checked for. */
const mostKinds = 10;

/** Gives the schema of a whole kind, without references. */
export type SchemaOf = (resource: ResourceInfo) => SchemaNode;

const gvkText = ({ group, version, kind }: ResourceInfo): string => `${group}/${version}, Kind=${kind}`;

/** The items in order; none when one of them stands for all. */
function named(rule: ReadJson, key: string): readonly string[] {
  const items = textsAt(rule, key);
  return items.some((item) => item.includes('*')) ? [] : [...items].sort();
}

/** The kinds that a policy says it is for, as far as its rules name them. */
function kindsOf(spec: ReadJson, registry: Registry): readonly ResourceInfo[] {
  const found = new Map<string, ResourceInfo>();
  for (const rule of objectsAt(objectAt(spec, 'matchConstraints'), 'resourceRules')) {
    const plurals = textsAt(rule, 'resources').filter((text) => !/[*/]/.test(text));
    const resources = named(rule, 'apiGroups').flatMap((group) =>
      named(rule, 'apiVersions').flatMap((version) =>
        [...plurals].sort().flatMap((plural) => registry.find(group, version, plural) ?? []),
      ),
    );
    for (const resource of resources.slice(0, mostKinds)) found.set(gvkText(resource), resource);
    if (resources.length >= mostKinds) break;
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
}

interface Typed {
  readonly type: CelType;
  readonly fieldType: (name: string, field: string) => CelType | undefined;
}

const untyped: Typed = { type: types.dyn, fieldType: () => undefined };

function typed(resource: ResourceInfo, schemaOf: SchemaOf): Typed {
  const declaration = declTypeOf(schemaOf(resource), true);
  if (!declaration) return untyped;
  const declared = new DeclTypes();
  const type = declared.typeOf(declaration, resource.kind);
  return { type, fieldType: (name, field) => declared.fieldType(name, field) };
}

function environmentOf(object: Typed, params: Typed | undefined): Environment {
  return extendEnvironment(kubernetesEnvironment.stored, {
    variables: {
      object: object.type,
      oldObject: object.type,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params ? { params: params.type } : {}),
      authorizer: authorizerType,
    },
    fieldType: (name, field) =>
      requestFieldType(name, field) ?? object.fieldType(name, field) ?? params?.fieldType(name, field),
  });
}

function problemIn(text: string, environment: Environment): string | undefined {
  const made = compileExpression(text, environment);
  return 'error' in made && made.error.kind === 'syntax' ? made.error.message : undefined;
}

/** The environment with the variables of a policy. One that does not fit its kind is as good as untyped. */
function withPolicyVariables(base: Environment, variables: readonly ReadJson[]): Environment {
  const known = new Map<string, CelType | undefined>();
  for (const variable of variables) {
    const made = compileExpression(textAt(variable, 'expression'), withVariables(base, new Map(known)));
    known.set(textAt(variable, 'name'), 'expression' in made ? made.expression.type : undefined);
  }
  return withVariables(base, known);
}

/** What is wrong with the validations of a policy, seen with the types of the kinds they are for. */
export function typeWarnings(policy: ReadJson, registry: Registry, schemaOf: SchemaOf): readonly ExpressionWarning[] {
  const spec = objectAt(policy, 'spec') ?? {};
  const paramKind = objectAt(spec, 'paramKind');
  const paramResource =
    paramKind &&
    registry.all().find((one) => {
      const apiVersion = one.group === '' ? one.version : `${one.group}/${one.version}`;
      return one.kind === paramKind.kind && apiVersion === paramKind.apiVersion;
    });
  const params = paramKind && (paramResource ? typed(paramResource, schemaOf) : untyped);
  const checks = kindsOf(spec, registry).map((resource) => {
    const base = environmentOf(typed(resource, schemaOf), params);
    return { resource, environment: withPolicyVariables(base, objectsAt(spec, 'variables')) };
  });
  const warningFor = (text: string, fieldRef: string): readonly ExpressionWarning[] => {
    const found = checks.flatMap(({ resource, environment }) => {
      const problem = problemIn(text, environment);
      return problem === undefined ? [] : [`${gvkText(resource)}: ${problem}\n`];
    });
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
  };
  return objectsAt(spec, 'validations').flatMap((validation, i) => {
    const here = `spec.validations[${i}]`;
    const speaking = textAt(validation, 'messageExpression');
    return [
      ...warningFor(textAt(validation, 'expression'), `${here}.expression`),
      ...(speaking === '' ? [] : warningFor(speaking, `${here}.messageExpression`)),
    ];
  });
}
