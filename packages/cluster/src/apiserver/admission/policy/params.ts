import { type DynamicObject, parseApiVersion } from '@coxswain/k8s';
import { type LabelSelectorLike, matchesLabels, selectorFromField } from '@coxswain/runtime/core';
import { servedForm } from '../../rest/served.ts';
import type { AdmissionAttributes, Registry, ResourceInfo } from '../../types.ts';
import { namespaceOf } from '../matching/index.ts';
import type { Binding, ParamReference, Policy } from './policy.ts';

function resourceOf({ apiVersion, kind }: NonNullable<Policy['paramKind']>, registry: Registry): ResourceInfo {
  const { group, version } = parseApiVersion(apiVersion);
  const found = registry.all().find((one) => one.group === group && one.version === version && one.kind === kind);
  if (!found) throw new Error(`paramKind kind \`${apiVersion}, Kind=${kind}\` not known`);
  return found;
}

/** Where a namespaced parameter is looked for: where the reference says, else where the object is. */
function namespaceFor(resource: ResourceInfo, { namespace }: ParamReference, attributes: AdmissionAttributes): string {
  if (!resource.namespaced) {
    if (namespace === '') return '';
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const found = namespace || namespaceOf(attributes);
  if (found !== '') return found;
  throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
}

/**
 * The parameters that a binding brings to a policy, each for an evaluation of its own; `undefined` for one without parameters.
 * @throws Error when they cannot be had
 */
export function paramsFor(
  { paramKind }: Policy,
  { params }: Binding,
  attributes: AdmissionAttributes,
  registry: Registry,
): readonly (DynamicObject | undefined)[] {
  if (!paramKind || !params) return [undefined];
  const { storage } = attributes;
  const resource = resourceOf(paramKind, registry);
  const namespace = namespaceFor(resource, params, attributes);
  const form = servedForm(resource);
  const found: DynamicObject[] = [];
  if (params.name !== '') {
    const object = storage.get({ resource: resource.storage, namespace, name: params.name });
    if (object) found.push(form(object));
  } else {
    const selector = selectorFromField((params.selector ?? {}) as LabelSelectorLike);
    const { objects } = storage.list(resource.storage, resource.namespaced ? { namespace } : {});
    found.push(...objects.filter(({ metadata }) => matchesLabels(selector, metadata.labels)).map(form));
  }
  if (found.length > 0 || !params.required) return found;
  throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
}
