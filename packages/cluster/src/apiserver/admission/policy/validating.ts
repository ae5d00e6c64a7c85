import type { DynamicObject } from '@coxswain/k8s';
import { ApiError, forbidden } from '@coxswain/runtime/core';
import type { Authorizer } from '../../authorization/index.ts';
import type { AdmissionAttributes, AdmissionPlugin, Registry, ResourceInfo } from '../../types.ts';
import { isExempt, matchedResource, nameIn } from '../matching/index.ts';
import type { Failure, Subject } from './evaluate.ts';
import { paramsFor } from './params.ts';
import type { Binding, Policy } from './policy.ts';
import { policySource } from './policy-source.ts';

export interface PolicyContext {
  readonly registry: Registry;
  /** Answers the questions of expressions about rights. Absent: everybody may do everything. */
  readonly authorizer?: Authorizer | undefined;
}

/** A policy that a write is for, by one of its bindings. */
interface Match {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly resource: ResourceInfo;
}

type Judge = (policy: Policy, subject: Subject) => readonly Failure[];

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

function refusal(attributes: AdmissionAttributes, { policy, binding }: Match, { message, reason }: Failure): ApiError {
  const why = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}' denied request: ${message}`;
  const { status } = forbidden(attributes.resource, nameIn(attributes), why, [{ message: why }]);
  return new ApiError({ ...status, reason: reason || 'Invalid', code: codes[reason] ?? 422 });
}

function namespaceOf({ namespace, resource, storage }: AdmissionAttributes): DynamicObject | undefined {
  if (namespace === '' || !resource.namespaced) return undefined;
  return storage.get({ resource: '/namespaces', namespace: '', name: namespace }) as DynamicObject | undefined;
}

function failuresOf(match: Match, attributes: AdmissionAttributes, context: PolicyContext, judge: Judge): Failure[] {
  const { policy, binding, resource } = match;
  const { registry, authorizer } = context;
  const about = { attributes, resource, namespace: namespaceOf(attributes), authorizer };
  let all: readonly (DynamicObject | undefined)[];
  try {
    all = paramsFor(policy, binding, attributes, registry);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return policy.ignoresFailures ? [] : [{ message: `failed to configure binding: ${why}`, reason: '' }];
  }
  return all.flatMap((params) => judge(policy, { ...about, params }));
}

/** All policies are heard before the first refusal in their order is answered. */
function decide(
  matches: readonly Match[],
  attributes: AdmissionAttributes,
  context: PolicyContext,
  judge: Judge,
): void {
  const refusals: ApiError[] = [];
  for (const match of matches) {
    const { policy, binding } = match;
    for (const failure of failuresOf(match, attributes, context, judge)) {
      if (binding.actions.includes('Deny')) refusals.push(refusal(attributes, match, failure));
      if (binding.actions.includes('Warn')) {
        const what = `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
        attributes.warn(`${what}: ${failure.message}`);
      }
    }
  }
  if (refusals[0]) throw refusals[0];
}

function matchesOf(
  policies: readonly Policy[],
  attributes: AdmissionAttributes,
  { registry }: PolicyContext,
): readonly Match[] {
  return policies.flatMap((policy) => {
    const resource = matchedResource(policy.criteria, attributes, registry);
    if (!resource) return [];
    const bindings = policy.bindings.filter((binding) => matchedResource(binding.criteria, attributes, registry));
    return bindings.map((binding) => ({ policy, binding, resource }));
  });
}

/** Policies that refuse (or only warn of) a write in its final form. Once the expression engine is there, nothing waits. */
export function validatingPolicies(context: PolicyContext): AdmissionPlugin {
  const policies = policySource();
  let judge: Judge | undefined;
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(attributes) {
      const all = policies(attributes.storage);
      if (all.length === 0 || isExempt(attributes)) return;
      const matches = matchesOf(all, attributes, context);
      if (matches.length === 0) return;
      if (judge) return decide(matches, attributes, context, judge);
      return import('./evaluate.ts').then((engine) => {
        judge = engine.failuresOf;
        decide(matches, attributes, context, judge);
      });
    },
  };
}
