import type { CustomResourceDefinition } from '@coxswain/k8s';
import { validateDefaults, validateRules } from '../cel/index.ts';
import type { FieldError, SchemaNode } from '../node.ts';
import { validateStructural } from '../structural/validate-structural.ts';
import { boundsToAdd, isTooExpensive } from './bounds-to-add.ts';
import { pathProblems } from './path-problems.ts';

/** What is wrong with a CRD. */
export interface Problem {
  /** `error`: the API server refuses the CRD. `warning`: it takes it, and what was meant does not happen. */
  readonly severity: 'error' | 'warning';
  /** Where in the CRD: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`. */
  readonly field: string;
  /** For errors of the schema, the API server's words. */
  readonly message: string;
  /** For rules that can cost too much: the bounds that are missing, as `spec.hosts[*]: maxLength`. */
  readonly addBounds?: readonly string[];
}

/**
 * What the API server would refuse in the schemas and paths of a CRD, and paths that find nothing: schemas that are not
 * structural, rules that do not compile or can cost too much, defaults that are not valid, columns of fields that are
 * not there. Names and versions are not looked at: `defineResource` refuses wrong ones.
 */
export function checkCrd(crd: CustomResourceDefinition): readonly Problem[] {
  return crd.spec.versions.flatMap((version, index) => {
    const field = `spec.versions[${index}]`;
    const schema = version.schema?.openAPIV3Schema as SchemaNode | undefined;
    if (schema === undefined) return [{ severity: 'error', field: `${field}.schema`, message: 'Required value' }];
    return [...schemaProblems(schema, `${field}.schema.openAPIV3Schema`), ...pathProblems(version, schema, field)];
  });
}

/** As the server does it: rules of a sound schema only, and defaults when the rules are sound. */
function schemaProblems(schema: SchemaNode, path: string): readonly Problem[] {
  const structural = validateStructural(schema, path);
  if (structural.length > 0) return structural.map(asProblem);
  const ofRules = validateRules(schema, path);
  if (ofRules.length === 0) return validateDefaults(schema, path).map(asProblem);
  return ofRules.map((error) => {
    if (!isTooExpensive(error)) return asProblem(error);
    const addBounds = boundsToAdd(schema, path, error.field);
    return addBounds.length > 0 ? { ...asProblem(error), addBounds } : asProblem(error);
  });
}

function asProblem({ field, message }: FieldError): Problem {
  return { severity: 'error', field, message };
}
