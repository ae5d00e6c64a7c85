import { fieldError } from '../field-error.ts';
import { own } from '../json.ts';
import type { FieldError, SchemaNode, ValidationRule } from '../node.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const lineBreak = /[\n\r]/;

/** The form of CEL rules; their expressions are not looked into. */
export function ruleErrors(node: SchemaNode, path: string): readonly FieldError[] {
  return (node['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    return [...textErrors(rule, at), ...reasonErrors(rule, at), ...fieldPathErrors(node, rule, at)];
  });
}

// What definitions bring may lack even what a rule must have.
function textErrors(
  { rule = '', message, messageExpression }: Partial<ValidationRule>,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const text = message?.trim() ?? '';
  if (rule.trim() === '') {
    errors.push(fieldError.required(`${path}.rule`, 'rule is not specified'));
  } else if (message && text === '') {
    errors.push(fieldError.invalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (lineBreak.test(text)) {
    errors.push(fieldError.invalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (lineBreak.test(rule.trim()) && text === '') {
    const detail = 'message must be specified if rule contains line breaks';
    errors.push(fieldError.required(`${path}.message`, detail));
  }
  if (messageExpression && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(fieldError.required(`${path}.messageExpression`, detail));
  }
  return errors;
}

function reasonErrors({ reason }: ValidationRule, path: string): readonly FieldError[] {
  if (reason === undefined || reasons.includes(reason)) return [];
  return [fieldError.notSupported(`${path}.reason`, reason, reasons)];
}

function fieldPathErrors(node: SchemaNode, { fieldPath }: ValidationRule, path: string): readonly FieldError[] {
  if (!fieldPath) return [];
  const errors: FieldError[] = [];
  const invalid = (detail: string) => errors.push(fieldError.invalid(`${path}.fieldPath`, fieldPath, detail));
  if (fieldPath.trim() === '') invalid('must be non-empty if specified');
  if (lineBreak.test(fieldPath)) invalid('must not contain line breaks');
  if (!leadsToField(node, fieldPath)) invalid('must be a valid path');
  return errors;
}

/** Steps are `.name` and `['name']`; lists cannot be entered. */
function leadsToField(root: SchemaNode, path: string): boolean {
  const step = /(?:\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\])/y;
  let node = root;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (!match) return false;
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1');
    const child = childOf(node, name);
    if (!child) return false;
    node = child;
  }
  return path !== '';
}

function childOf({ properties, additionalProperties }: SchemaNode, name: string): SchemaNode | undefined {
  if (properties) return own(properties, name);
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
