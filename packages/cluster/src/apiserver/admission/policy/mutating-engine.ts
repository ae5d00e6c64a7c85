import { type DynamicObject, type MutableJson, parseApiVersion } from '@coxswain/k8s';
import { ApiError } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import { applyConfigurationOf, jsonPatchOf } from '@coxswain/schema/cel';
import { mergeConfiguration } from '../../fieldmanager/index.ts';
import { builtInSchemas } from '../../patch/index.ts';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';
import { isTestFailure, patched, patchProblem, replaceDraft, settle } from '../draft/index.ts';
import { holds, type Variables } from '../matching/expressions.ts';
import { inVersion } from '../matching/index.ts';
import { internalError } from '../webhook/failures.ts';
import { Evaluation, valuesFor } from './evaluation.ts';
import type { Invocation, PolicyContext } from './invocations.ts';
import type { MutatingPolicy, Mutation } from './policy.ts';

/** What the expressions of a policy see of a write as it is now. */
export function mutationValues(
  invocation: Invocation<MutatingPolicy>,
  attributes: AdmissionAttributes,
  namespace: DynamicObject | undefined,
  context: PolicyContext,
): Variables {
  return valuesFor(invocation, attributes, namespace, context);
}

/** Whether the match conditions hold; a text says why that cannot be told. */
export function isMeant(
  { conditions, paramKind, ignoresFailures }: MutatingPolicy,
  values: Variables,
): boolean | string {
  const outcome = holds(conditions, values, { params: paramKind !== undefined, authorizer: true });
  if (typeof outcome === 'boolean') return outcome;
  return ignoresFailures ? false : outcome.error;
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The path of the first null in a configuration: it stands for no value of any type. */
function nullIn(value: unknown, path: string): string | undefined {
  if (value === null) return path;
  if (typeof value !== 'object') return undefined;
  for (const [key, part] of Object.entries(value)) {
    const found = nullIn(part, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The schema of an object: that of its resource, or for a subresource that of a kind of its own. @throws Error when there is none */
function schemaOf(object: MutableJson, resource: ResourceInfo): SchemaNode {
  if (object.kind === resource.kind) return resource.schema;
  const { group, version } = parseApiVersion(String(object.apiVersion));
  const name = `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}.${version}.${String(object.kind)}`;
  try {
    builtInSchemas(name);
    return { $ref: name };
  } catch {
    const what = `no corresponding type for ${group}/${version}, Kind=${String(object.kind)}`;
    throw new Error(`failed to convert patch object to typed object: ${what}`);
  }
}

function configured(resource: ResourceInfo, object: MutableJson, given: Record<string, unknown>): MutableJson {
  const { apiVersion, kind } = object;
  const nothing = nullIn(given, '');
  if (nothing !== undefined) {
    const why = `failed to convert patch object to typed object: ${nothing}: expected map, got &{NULL_VALUE}`;
    throw new Error(`error applying patch: ${why}`);
  }
  try {
    const schema = schemaOf(object, resource);
    const merged = mergeConfiguration(schema, object, { ...given, apiVersion, kind });
    return structuredClone(merged);
  } catch (error) {
    throw new Error(`error applying patch: ${said(error)}`);
  }
}

function patchedBy(resource: ResourceInfo, object: MutableJson, operations: readonly unknown[]): MutableJson {
  let next: MutableJson;
  try {
    next = patched(object, operations);
  } catch (error) {
    if (isTestFailure(error)) return object;
    throw new Error(`JSON Patch: ${patchProblem(error)}`);
  }
  if (object.kind !== resource.kind) return next;
  let unknown: readonly string[];
  try {
    unknown = settle(resource, next);
  } catch (error) {
    throw internalError(patchProblem(error));
  }
  if (unknown.length === 0 || !resource.builtIn) return next;
  throw internalError(
    `strict decoding error: ${unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', ')}`,
  );
}

/** What one mutation makes of an object. @throws ApiError where the failure policy is not asked, else Error */
function mutated(
  { type, expression }: Mutation,
  { policy, resource }: Invocation<MutatingPolicy>,
  object: MutableJson,
  values: Variables,
): MutableJson {
  const outcome = new Evaluation(policy, values, { authorizer: true, patches: true }).value(expression);
  if ('error' in outcome) throw new Error(outcome.error);
  if (type === 'JSONPatch') return patchedBy(resource, object, jsonPatchOf(outcome.value));
  return configured(resource, object, applyConfigurationOf(outcome.value));
}

/** The real server does not find its way back from another version of a built-in kind. */
function broughtBack(object: MutableJson, from: ResourceInfo, to: ResourceInfo): MutableJson {
  if (from === to || !to.builtIn || object.kind !== from.kind) return inVersion(object, from, to);
  const [there, here] = [from, to].map(({ version, kind }) => `${version}.${kind}`);
  throw new Error(`converting (${there}) to (${here}): unknown conversion`);
}

/** Runs the mutations of a policy one after the other; each sees what the one before it did. Answers what went wrong. */
export function applyMutations(
  invocation: Invocation<MutatingPolicy>,
  attributes: AdmissionAttributes,
  values: () => Variables,
): string[] {
  const { policy, resource } = invocation;
  const { object } = attributes;
  if (!object) return [];
  return policy.mutations.flatMap((mutation) => {
    try {
      const shown = inVersion(object, attributes.resource, resource);
      const next = mutated(mutation, invocation, shown, values());
      replaceDraft(attributes, broughtBack(next, resource, attributes.resource));
      return [];
    } catch (error) {
      if (error instanceof ApiError) throw error;
      return [said(error)];
    }
  });
}
