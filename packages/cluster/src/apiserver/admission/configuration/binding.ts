import type { FieldError } from '@coxswain/schema';
import { ensureObject, objectAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../builtin/shared/errors.ts';
import { dnsSubdomain, pathSegment } from '../../builtin/shared/names.ts';
import { validateLabelSelector } from '../../builtin/shared/selectors.ts';
import type { Strategy } from '../../types.ts';
import { textsAt } from '../matching/index.ts';
import { defaultMatch } from './defaults.ts';
import { matchErrors, nameErrors, writeOnlyErrors } from './rule-errors.ts';

const actions = ['Audit', 'Deny', 'Warn'];

function paramErrors(reference: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!reference) return [];
  const errors: FieldError[] = [];
  const name = textAt(reference, 'name');
  const selector = objectAt(reference, 'selector');
  const exclusive = 'name and selector are mutually exclusive';
  errors.push(...(name === '' ? [] : pathSegment(name).map((text) => invalidValue(`${field}.name`, name, text))));
  if (name !== '' && selector) errors.push(forbiddenField(`${field}.name`, exclusive));
  errors.push(...validateLabelSelector(selector, `${field}.selector`));
  if (name !== '' && selector) errors.push(forbiddenField(`${field}.selector`, exclusive));
  if (name === '' && !selector) errors.push(required(field, 'one of name or selector must be specified'));
  const action = textAt(reference, 'parameterNotFoundAction');
  const at = `${field}.parameterNotFoundAction`;
  if (action === '') errors.push(required(at));
  else if (action !== 'Allow' && action !== 'Deny') errors.push(notSupported(at, action, ['Deny', 'Allow']));
  return errors;
}

function actionErrors(given: readonly string[], field: string): readonly FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = given.flatMap((action, i) => {
    const unknown = actions.includes(action) ? [] : [notSupported(`${field}[${i}]`, action, actions)];
    const twice = seen.has(action) ? [duplicate(`${field}[${i}]`, action)] : [];
    seen.add(action);
    return [...unknown, ...twice];
  });
  if (seen.has('Deny') && seen.has('Warn')) {
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(invalidValue(field, given, why));
  }
  if (seen.size === 0) errors.push(required(field));
  return errors;
}

function bindingErrors(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const policy = textAt(spec, 'policyName');
  return [
    ...(policy === '' ? [required('spec.policyName')] : []),
    ...(policy === '' ? [] : dnsSubdomain(policy).map((text) => invalidValue('spec.policyName', policy, text))),
    ...paramErrors(objectAt(spec, 'paramRef'), 'spec.paramRef'),
    ...matchErrors(objectAt(spec, 'matchResources'), 'spec.matchResources'),
  ];
}

const defaultBinding: NonNullable<Strategy['default']> = (draft) =>
  defaultMatch(objectAt(ensureObject(draft, 'spec'), 'matchResources'));

/** The rules of ValidatingAdmissionPolicyBindings. */
export const validatingBindingStrategy: Strategy = {
  default: defaultBinding,
  validateRules: (object, old) => [
    ...bindingErrors(object),
    ...actionErrors(textsAt(objectAt(object, 'spec') ?? {}, 'validationActions'), 'spec.validationActions'),
    ...(old ? [] : nameErrors(object)),
  ],
};

/** The rules of MutatingAdmissionPolicyBindings. */
export const mutatingBindingStrategy: Strategy = {
  default: defaultBinding,
  validateRules: (object, old) => [
    ...bindingErrors(object),
    ...writeOnlyErrors(objectAt(objectAt(object, 'spec'), 'matchResources'), 'spec.matchResources'),
    ...(old ? [] : nameErrors(object)),
  ],
};
