import type { FieldError } from '@coxswain/schema';
import { checkConditions } from '../../builtin/shared/conditions.ts';
import { listAt, objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { duplicate, invalidValue, notSupported, required } from '../../builtin/shared/errors.ts';
import { qualifiedName } from '../../builtin/shared/names.ts';
import { restoreMetadata, statusOnlyResets } from '../../builtin/shared/status-write.ts';
import type { Strategy } from '../../types.ts';
import type { ExpressionChecks } from './checks.ts';
import { defaultPolicy } from './defaults.ts';
import { loadChecks } from './engine.ts';
import { knownIn, policyErrors } from './policy-errors.ts';
import { nameErrors } from './rule-errors.ts';

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const mostAnnotations = 20;
const longestValue = 5 * 1024;

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

type Seen = ReadonlySet<string>;

function validationErrors(
  one: ReadJson,
  here: string,
  checks: ExpressionChecks,
  known: { readonly validations: Seen; readonly messages: Seen },
): readonly FieldError[] {
  const [expression, message, speaking] = ['expression', 'message', 'messageExpression'].map((key) => textAt(one, key));
  const errors: FieldError[] = [];
  const text = expression ?? '';
  if (text.trim() === '') errors.push(required(`${here}.expression`, 'expression is not specified'));
  else errors.push(...checks.errors('validation', text, `${here}.expression`, known.validations.has(text)));
  const spoken = speaking ?? '';
  const blank = 'must be non-empty if specified';
  if (spoken !== '' && spoken.trim() === '') errors.push(invalidValue(`${here}.messageExpression`, spoken, blank));
  else if (spoken !== '') {
    errors.push(...checks.errors('message', spoken, `${here}.messageExpression`, known.messages.has(spoken)));
  }
  const plain = message ?? '';
  if (plain !== '' && plain.trim() === '') errors.push(invalidValue(`${here}.message`, plain, blank));
  else if (hasBreaks(plain.trim())) errors.push(invalidValue(`${here}.message`, plain, 'must not contain line breaks'));
  const reason = one.reason;
  if (reason !== undefined && reason !== null && !reasons.includes(String(reason))) {
    errors.push(notSupported(`${here}.reason`, reason, reasons));
  }
  return errors;
}

function annotationErrors(
  one: ReadJson,
  here: string,
  policy: string,
  checks: ExpressionChecks,
  known: Seen,
): readonly FieldError[] {
  const key = textAt(one, 'key');
  const value = textAt(one, 'valueExpression');
  const text = value.trim();
  const errors: FieldError[] =
    policy === ''
      ? [invalidValue(`${here}.key`, key, 'requires metadata.name be non-empty')]
      : qualifiedName(`${policy}/${key}`).map((why) => invalidValue(`${here}.key`, `${policy}/${key}`, why));
  const at = `${here}.valueExpression`;
  if (text === '') errors.push(required(at, 'valueExpression is not specified'));
  else if (Buffer.byteLength(text) > longestValue) {
    errors.push(required(at, `must not exceed ${longestValue} bytes in length`));
  } else errors.push(...checks.errors('annotation', text, at, known.has(value), value));
  return errors;
}

function allAnnotationErrors(object: ReadJson, checks: ExpressionChecks, known: Seen): readonly FieldError[] {
  const annotations = objectsAt(objectAt(object, 'spec'), 'auditAnnotations');
  const policy = textAt(objectAt(object, 'metadata'), 'name');
  const keys = new Set<string>();
  const many = `must not have more than ${mostAnnotations} auditAnnotations`;
  return [
    ...(annotations.length > mostAnnotations ? [invalidValue('spec.auditAnnotations', annotations, many)] : []),
    ...annotations.flatMap((one, i) => {
      const here = `spec.auditAnnotations[${i}]`;
      const key = textAt(one, 'key');
      const twice = keys.has(key) ? [duplicate(`${here}.key`, key)] : [];
      keys.add(key);
      return [...annotationErrors(one, here, policy, checks, known), ...twice];
    }),
  ];
}

function specErrors(object: ReadJson, old: ReadJson | undefined): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const { errors, checks } = policyErrors(object, old, objectsAt(spec, 'variables').length > 0);
  const before = knownIn(old);
  const known = {
    validations: before.texts('validations', (item) => textAt(item, 'expression')),
    messages: before.texts('validations', (item) => textAt(item, 'messageExpression')),
    annotations: before.texts('auditAnnotations', (item) => textAt(item, 'valueExpression')),
  };
  const validations = objectsAt(spec, 'validations');
  if (validations.length + listAt(spec, 'auditAnnotations').length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [...errors, required('spec.validations', why), required('spec.auditAnnotations', why)];
  }
  return [
    ...errors,
    ...validations.flatMap((one, i) => validationErrors(one, `spec.validations[${i}]`, checks, known)),
    ...allAnnotationErrors(object, checks, known.annotations),
  ];
}

function statusErrors(object: ReadJson): readonly FieldError[] {
  const status = objectAt(object, 'status');
  const warnings = objectsAt(objectAt(status, 'typeChecking'), 'expressionWarnings').flatMap((one, i) => {
    const here = `status.typeChecking.expressionWarnings[${i}]`;
    return ['warning', 'fieldRef'].flatMap((key) =>
      textAt(one, key).trim() === '' ? [required(`${here}.${key}`)] : [],
    );
  });
  return [...warnings, ...checkConditions(objectsAt(status, 'conditions'), 'status.conditions')];
}

/** The rules of ValidatingAdmissionPolicies. */
export const validatingPolicyStrategy: Strategy = {
  default(draft) {
    defaultPolicy(draft);
    if (!objectAt(draft, 'status')) draft.status = {};
  },
  resets: statusOnlyResets,
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  ready: loadChecks,
  validateRules(object, old, _found, { subresource }) {
    if (subresource === 'status') return statusErrors(object);
    return [...specErrors(object, old), ...(old ? [] : nameErrors(object))];
  },
};
