import { fieldError } from '../field-error.ts';
import type { FieldError, SchemaNode } from '../node.ts';
import { defaultErrors } from './defaults.ts';
import { invariantErrors } from './invariants.ts';
import { isReadable, keywordErrors } from './keywords.ts';
import { completenessErrors } from './nested.ts';

/**
 * What keeps a schema from being the structural schema of a CRD (`spec/embedded.md` §1.11), in the API server's words:
 * structure first, then defaults (once the structure is sound), then each keyword. CEL expressions are not compiled.
 * @param path the schema's own field; the default is where a CRD whose versions share one schema has it
 */
export function validateStructural(root: SchemaNode, path = 'spec.validation.openAPIV3Schema'): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (root.nullable) errors.push(fieldError.forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  if (isReadable(root)) errors.push(...structureErrors(root, path));
  errors.push(...keywordErrors(root, path, { root: true }));
  return errors;
}

function structureErrors(root: SchemaNode, path: string): readonly FieldError[] {
  const errors = [...invariantErrors(root, path, 'root'), ...completenessErrors(root, path)].sort(byText);
  return errors.length > 0 ? errors : defaultErrors({ ...root, 'x-kubernetes-embedded-resource': true }, path);
}

function byText(a: FieldError, b: FieldError): number {
  return `${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1;
}
