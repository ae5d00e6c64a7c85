import type { DynamicObject } from '@coxswain/k8s';
import { notFound } from '@coxswain/runtime/core';
import type { Authorizer } from '../../authorization/index.ts';
import type { AdmissionAttributes, Registry, ResourceInfo } from '../../types.ts';
import { matchedResource } from '../matching/index.ts';
import { paramResource, paramsFor } from './params.ts';
import type { Binding, Policy } from './policy.ts';

export interface PolicyContext {
  readonly registry: Registry;
  /** Answers the questions of expressions about rights. Absent: everybody may do everything. */
  readonly authorizer?: Authorizer | undefined;
}

/** A policy that a write is for, by one of its bindings, with one set of parameters. */
export interface Invocation<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  /** The version of the resource that the policy is written for. */
  readonly resource: ResourceInfo;
  readonly params: DynamicObject | undefined;
}

/** A policy, or a binding of it, cannot be used for a write. */
export interface Misconfiguration<P extends Policy> {
  readonly policy: P;
  readonly binding?: Binding;
  readonly message: string;
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What a write has to do with a policy, in the order of its bindings. */
export type Asked<P extends Policy> = Invocation<P> | Misconfiguration<P>;

function askedOf<P extends Policy>(
  policy: P,
  attributes: AdmissionAttributes,
  registry: Registry,
): readonly Asked<P>[] {
  let resource: ResourceInfo | undefined;
  let kind: ResourceInfo | undefined;
  try {
    resource = matchedResource(policy.criteria, attributes, registry);
    if (!resource) return [];
    kind = paramResource(policy, registry);
  } catch (error) {
    return [{ policy, message: `failed to configure policy: ${said(error)}` }];
  }
  const meant = resource;
  return policy.bindings.flatMap((binding): readonly Asked<P>[] => {
    try {
      if (!matchedResource(binding.criteria, attributes, registry)) return [];
      return paramsFor(kind, binding, attributes).map((params) => ({ policy, binding, resource: meant, params }));
    } catch (error) {
      return [{ policy, binding, message: `failed to configure binding: ${said(error)}` }];
    }
  });
}

/** Who is asked about a write, and who should be but cannot, unless its failures are to be ignored; in the order of the policies. */
export function askedFor<P extends Policy>(
  policies: readonly P[],
  attributes: AdmissionAttributes,
  { registry }: PolicyContext,
): readonly Asked<P>[] {
  const all = policies.flatMap((policy) => askedOf(policy, attributes, registry));
  return all.filter((one) => !('message' in one && one.policy.ignoresFailures));
}

/** The namespace object that expressions see; `undefined` at cluster scope. @throws ApiError NotFound */
export function namespaceFor({ namespace, resource, storage }: AdmissionAttributes): DynamicObject | undefined {
  if (namespace === '' || !resource.namespaced) return undefined;
  const found = storage.get({ resource: '/namespaces', namespace: '', name: namespace });
  if (found) return found as DynamicObject;
  throw notFound({ group: '', plural: 'namespaces' }, namespace);
}
