import type { CustomResourceDefinition } from '@coxswain/k8s';
import { validateDefaults, validateRules } from '../cel/index.ts';
import type { SchemaNode } from '../node.ts';
import { validateStructural } from '../structural/validate-structural.ts';
import { boundsToAdd, isTooExpensive } from './bounds-to-add.ts';
import { pathProblems } from './path-problems.ts';
import { asError, type Problem } from './problem.ts';
import { repeatedDefaults } from './repeated-defaults.ts';

/**
 * What the API server would refuse in the schemas and paths of a CRD, and paths that find nothing: schemas that are not
 * structural, rules that do not compile or can cost too much, defaults that are not valid, columns of fields that are
 * not there. Names and versions are not looked at: `defineResource` refuses wrong ones.
 * Held against a real API server, definition by definition.
 */
export function checkCrd(crd: CustomResourceDefinition): readonly Problem[] {
  return crd.spec.versions.flatMap((version, index) => {
    const field = `spec.versions[${index}]`;
    const schema = version.schema?.openAPIV3Schema as SchemaNode | undefined;
    if (schema === undefined) return [{ severity: 'error', field: `${field}.schema`, message: 'Required value' }];
    return [...schemaProblems(schema, `${field}.schema.openAPIV3Schema`), ...pathProblems(version, schema, field)];
  });
}

/** As the server does it: rules of a sound schema only, and not before its defaults are sound too. */
function schemaProblems(schema: SchemaNode, path: string): readonly Problem[] {
  const structural = validateStructural(schema, path);
  if (structural.length > 0) return structural.map(asError);
  const ofDefaults = validateDefaults(schema, path);
  if (ofDefaults.length > 0) return ofDefaults.map(asError);
  const ofRules = validateRules(schema, path).map((error) => {
    if (!isTooExpensive(error)) return asError(error);
    const addBounds = boundsToAdd(schema, path, error.field);
    return addBounds.length > 0 ? { ...asError(error), addBounds } : asError(error);
  });
  return [...ofRules, ...repeatedDefaults(schema, path)];
}
