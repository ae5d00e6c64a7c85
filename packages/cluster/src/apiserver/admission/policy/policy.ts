import type { DynamicObject } from '@coxswain/k8s';
import { objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { type Criteria, readCriteria, textsAt } from '../matching/index.ts';

export interface Validation {
  readonly expression: string;
  /** `''` when not given, as all texts here. */
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
}

/** Where a binding's parameters are. */
export interface ParamReference {
  readonly name: string;
  readonly namespace: string;
  /** A label selector; absent when a name is given. */
  readonly selector?: ReadJson;
  readonly required: boolean;
}

export interface Binding {
  readonly name: string;
  readonly criteria: Criteria;
  readonly params?: ParamReference;
  /** `Deny`, `Warn`, `Audit`. */
  readonly actions: readonly string[];
}

/** A policy with the bindings that put it in force. */
export interface Policy {
  readonly name: string;
  readonly criteria: Criteria;
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly ignoresFailures: boolean;
  readonly conditions: readonly string[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
  readonly bindings: readonly Binding[];
}

const nameOf = (object: DynamicObject): string => object.metadata.name;

function paramsOf(reference: ReadJson): ParamReference {
  const selector = objectAt(reference, 'selector');
  return {
    name: textAt(reference, 'name'),
    namespace: textAt(reference, 'namespace'),
    ...(selector ? { selector } : {}),
    required: reference.parameterNotFoundAction === 'Deny',
  };
}

function bindingOf(object: DynamicObject): Binding {
  const spec = objectAt(object, 'spec') ?? {};
  const reference = objectAt(spec, 'paramRef');
  return {
    name: nameOf(object),
    criteria: readCriteria(objectAt(spec, 'matchResources') ?? {}, 'resourceRules'),
    ...(reference ? { params: paramsOf(reference) } : {}),
    actions: textsAt(spec, 'validationActions'),
  };
}

function policyOf(object: DynamicObject, bindings: readonly Binding[]): Policy {
  const spec = objectAt(object, 'spec') ?? {};
  const kind = objectAt(spec, 'paramKind');
  return {
    name: nameOf(object),
    criteria: readCriteria(objectAt(spec, 'matchConstraints') ?? {}, 'resourceRules'),
    ...(kind ? { paramKind: { apiVersion: textAt(kind, 'apiVersion'), kind: textAt(kind, 'kind') } } : {}),
    ignoresFailures: spec.failurePolicy === 'Ignore',
    conditions: objectsAt(spec, 'matchConditions').map((condition) => textAt(condition, 'expression')),
    variables: objectsAt(spec, 'variables').map((one) => ({
      name: textAt(one, 'name'),
      expression: textAt(one, 'expression'),
    })),
    validations: objectsAt(spec, 'validations').map((one) => ({
      expression: textAt(one, 'expression'),
      message: textAt(one, 'message').trim(),
      messageExpression: textAt(one, 'messageExpression'),
      reason: textAt(one, 'reason'),
    })),
    bindings,
  };
}

/** The policies that are in force: those that have a binding. */
export function policiesOf(policies: readonly DynamicObject[], bindings: readonly DynamicObject[]): readonly Policy[] {
  return policies.flatMap((policy) => {
    const own = bindings.filter((binding) => textAt(objectAt(binding, 'spec'), 'policyName') === nameOf(policy));
    return own.length > 0 ? [policyOf(policy, own.map(bindingOf))] : [];
  });
}
