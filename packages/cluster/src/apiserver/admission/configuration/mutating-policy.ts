import type { FieldError } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { invalidValue, notSupported, required } from '../../builtin/shared/errors.ts';
import type { Strategy } from '../../types.ts';
import type { ExpressionChecks } from './checks.ts';
import { defaultPolicy } from './defaults.ts';
import { loadChecks } from './engine.ts';
import { knownIn, policyErrors } from './policy-errors.ts';
import { givenWordErrors, nameErrors, reinvocationPolicies, writeOnlyErrors } from './rule-errors.ts';

/** Patch types, each with the field that holds its expression. */
const parts = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;
type PatchType = keyof typeof parts;

const isPatchType = (text: string): text is PatchType => Object.hasOwn(parts, text);

function mutationErrors(
  mutation: ReadJson,
  here: string,
  checks: ExpressionChecks,
  known: ReadonlySet<string>,
): readonly FieldError[] {
  const type = textAt(mutation, 'patchType');
  if (type === '') return [required(`${here}.patchType`)];
  if (!isPatchType(type)) return [notSupported(`${here}.patchType`, type, Object.keys(parts))];
  const own = parts[type];
  const other = type === 'JSONPatch' ? parts.ApplyConfiguration : parts.JSONPatch;
  const part = objectAt(mutation, own);
  const errors: FieldError[] = [];
  if (!part) errors.push(required(`${here}.${own}`, `must be specified when patchType is ${type}`));
  else {
    const given = textAt(part, 'expression');
    const text = given.trim();
    if (text === '') errors.push(required(`${here}.${own}.expression`));
    else errors.push(...checks.errors(type, text, `${here}.${own}.expression`, known.has(given)));
  }
  if (objectAt(mutation, other)) {
    errors.push(invalidValue(`${here}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`));
  }
  return errors;
}

function specErrors(object: ReadJson, old: ReadJson | undefined): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const { errors, checks } = policyErrors(object, old, true);
  // What an expression may do does not depend on where it was accepted before: only these were looked for.
  const known = knownIn(old).texts('mutations', (item) => textAt(objectAt(item, 'applyConfiguration'), 'expression'));
  const mutations = objectsAt(spec, 'mutations');
  const at = errors.findIndex(({ field }) => /^spec\.(matchConditions|variables)/.test(field ?? ''));
  const split = at < 0 ? errors.length : at;
  return [
    ...errors.slice(0, split),
    ...writeOnlyErrors(objectAt(spec, 'matchConstraints'), 'spec.matchConstraints'),
    ...errors.slice(split),
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((one, i) => mutationErrors(one, `spec.mutations[${i}]`, checks, known)),
    ...givenWordErrors(spec.reinvocationPolicy, 'spec.reinvocationPolicy', reinvocationPolicies),
  ];
}

/** The rules of MutatingAdmissionPolicies. */
export const mutatingPolicyStrategy: Strategy = {
  default: defaultPolicy,
  ready: loadChecks,
  validateRules: (object, old) => [...specErrors(object, old), ...(old ? [] : nameErrors(object))],
};
