import { type DynamicObject, parseApiVersion } from '@coxswain/k8s';
import { type LabelSelectorLike, matchesLabels, selectorFromField } from '@coxswain/runtime/core';
import { servedForm } from '../../rest/served.ts';
import type { AdmissionAttributes, Registry, ResourceInfo } from '../../types.ts';
import { namespaceOf } from '../matching/index.ts';
import type { Binding, ParamReference, Policy } from './policy.ts';

/** The resource that a policy takes its parameters from; `undefined` when it takes none. @throws Error when it is not served */
export function paramResource({ paramKind }: Policy, registry: Registry): ResourceInfo | undefined {
  if (!paramKind) return undefined;
  const { apiVersion, kind } = paramKind;
  const { group, version } = parseApiVersion(apiVersion);
  const found = registry.all().find((one) => one.group === group && one.version === version && one.kind === kind);
  if (found) return found;
  throw new Error(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`);
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
  resource: ResourceInfo | undefined,
  { params }: Binding,
  attributes: AdmissionAttributes,
): readonly (DynamicObject | undefined)[] {
  if (!resource || !params) return [undefined];
  const { storage } = attributes;
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
