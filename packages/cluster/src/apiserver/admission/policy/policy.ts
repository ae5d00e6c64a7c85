import type { DynamicObject } from '@coxswain/k8s';
import { objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { type Criteria, readCriteria, textsAt } from '../matching/index.ts';

/** Which parameters a binding brings. */
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
  /** `Deny`, `Warn`, `Audit`; of validating policies only. */
  readonly actions: readonly string[];
}

/** What validating and mutating policies share: a policy with the bindings that put it in force. */
export interface Policy {
  readonly name: string;
  readonly criteria: Criteria;
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly ignoresFailures: boolean;
  readonly conditions: readonly string[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly bindings: readonly Binding[];
}

export interface Validation {
  readonly expression: string;
  readonly message: string;
  readonly messageExpression: string;
  /** `''` when not given. */
  readonly reason: string;
}

export interface ValidatingPolicy extends Policy {
  readonly validations: readonly Validation[];
  readonly annotations: readonly { readonly key: string; readonly expression: string }[];
}

export interface Mutation {
  readonly type: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: string;
}

export interface MutatingPolicy extends Policy {
  readonly mutations: readonly Mutation[];
  /** Runs again when something changed the object after it. */
  readonly reinvokes: boolean;
}

const nameOf = (object: DynamicObject): string => object.metadata.name;
const specOf = (object: DynamicObject): ReadJson => objectAt(object, 'spec') ?? {};

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
  const spec = specOf(object);
  const reference = objectAt(spec, 'paramRef');
  return {
    name: nameOf(object),
    criteria: readCriteria(objectAt(spec, 'matchResources') ?? {}, 'resourceRules'),
    ...(reference ? { params: paramsOf(reference) } : {}),
    actions: textsAt(spec, 'validationActions'),
  };
}

function policyOf(object: DynamicObject, bindings: readonly DynamicObject[]): Policy {
  const spec = specOf(object);
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
    bindings: bindings.map(bindingOf),
  };
}

/** Makes a policy of its object and those of its bindings. */
export type ReadPolicy<P extends Policy> = (object: DynamicObject, bindings: readonly DynamicObject[]) => P;

export const validatingPolicyOf: ReadPolicy<ValidatingPolicy> = (object, bindings) => ({
  ...policyOf(object, bindings),
  validations: objectsAt(specOf(object), 'validations').map((one) => ({
    expression: textAt(one, 'expression'),
    message: textAt(one, 'message').trim(),
    messageExpression: textAt(one, 'messageExpression'),
    reason: textAt(one, 'reason'),
  })),
  annotations: objectsAt(specOf(object), 'auditAnnotations').map((one) => ({
    key: textAt(one, 'key'),
    expression: textAt(one, 'valueExpression'),
  })),
});

export const mutatingPolicyOf: ReadPolicy<MutatingPolicy> = (object, bindings) => ({
  ...policyOf(object, bindings),
  mutations: objectsAt(specOf(object), 'mutations').map((one) => {
    const type = one.patchType === 'JSONPatch' ? 'JSONPatch' : 'ApplyConfiguration';
    const part = objectAt(one, type === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration');
    return { type, expression: textAt(part, 'expression') };
  }),
  reinvokes: specOf(object).reinvocationPolicy === 'IfNeeded',
});

/** The policies that are in force: those that have a binding. */
export function policiesOf<P extends Policy>(
  policies: readonly DynamicObject[],
  bindings: readonly DynamicObject[],
  read: ReadPolicy<P>,
): readonly P[] {
  return policies.flatMap((policy) => {
    const own = bindings.filter((binding) => textAt(objectAt(binding, 'spec'), 'policyName') === nameOf(policy));
    return own.length > 0 ? [read(policy, own)] : [];
  });
}
