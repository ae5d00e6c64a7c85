import { parseApiVersion } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../../builtin/shared/draft.ts';
import { invalidValue, required } from '../../builtin/shared/errors.ts';
import { dns1035Label, dnsSubdomain } from '../../builtin/shared/names.ts';
import type { ExpressionChecks } from './checks.ts';
import { conditionErrors } from './condition-errors.ts';
import { checksFor } from './engine.ts';
import { failurePolicies, givenWordErrors, matchErrors } from './rule-errors.ts';

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const isIdentifier = (name: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);

function paramKindErrors(kind: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const version = textAt(kind, 'apiVersion');
  const name = textAt(kind, 'kind');
  if (version === '') errors.push(required(`${field}.apiVersion`));
  else if (version.split('/').length > 2) {
    errors.push(invalidValue(`${field}.apiVersion`, version, `unexpected GroupVersion string: ${version}`));
  } else errors.push(...groupVersionErrors(version, `${field}.apiVersion`));
  if (name === '') return [...errors, required(`${field}.kind`)];
  const why = dns1035Label(name.toLowerCase()).join(',');
  if (why === '') return errors;
  return [...errors, invalidValue(`${field}.kind`, name, `may have mixed case, but should otherwise match: ${why}`)];
}

function groupVersionErrors(text: string, field: string): readonly FieldError[] {
  const { group, version } = parseApiVersion(text);
  const ofGroup = group === '' ? [] : dnsSubdomain(group);
  const errors = ofGroup.length > 0 ? [invalidValue(field, group, ofGroup.join(','))] : [];
  if (version === '') return [...errors, invalidValue(field, text, 'version must be specified')];
  const ofVersion = dns1035Label(version);
  return ofVersion.length > 0 ? [...errors, invalidValue(field, version, ofVersion.join(','))] : errors;
}

function variableErrors(
  variables: readonly ReadJson[],
  checks: ExpressionChecks,
  known: ReadonlySet<string>,
): readonly FieldError[] {
  return variables.flatMap((variable, i) => {
    const here = `spec.variables[${i}]`;
    const [name, text] = [textAt(variable, 'name'), textAt(variable, 'expression')];
    const errors: FieldError[] = [];
    if (name.trim() === '') errors.push(required(`${here}.name`, 'name is not specified'));
    else if (!isIdentifier(name)) errors.push(invalidValue(`${here}.name`, name, 'must be a valid CEL identifier'));
    if (text.trim() === '') errors.push(required(`${here}.expression`, 'expression is not specified'));
    else errors.push(...checks.variable(name, text, `${here}.expression`, known.has(text)));
    return errors;
  });
}

/** What may have been accepted before: expressions of a policy, by where they stand. */
export interface Known {
  texts(list: string, read: (item: ReadJson) => string): ReadonlySet<string>;
}

export const knownIn = (old: ReadJson | undefined): Known => ({
  texts: (list, read) => new Set(objectsAt(objectAt(old, 'spec'), list).map(read)),
});

/** Errors of what validating and mutating policies share, with the checks for the rest of their expressions. */
export function policyErrors(
  object: ReadJson,
  old: ReadJson | undefined,
  composed: boolean,
): { readonly errors: readonly FieldError[]; readonly checks: ExpressionChecks } {
  const spec = objectAt(object, 'spec') ?? {};
  const match = objectAt(spec, 'matchConstraints');
  const kind = objectAt(spec, 'paramKind');
  const params = kind !== undefined;
  const checks = checksFor(params, composed);
  const known = knownIn(old).texts('validations', (item) => textAt(item, 'expression'));
  const unchanged = old !== undefined && sameConditions(spec, objectAt(old, 'spec') ?? {});
  return {
    checks,
    errors: [
      ...givenWordErrors(spec.failurePolicy, 'spec.failurePolicy', failurePolicies),
      ...(kind ? paramKindErrors(kind, 'spec.paramKind') : []),
      ...(match ? matchErrors(match, 'spec.matchConstraints') : [required('spec.matchConstraints')]),
      ...(match && objectsAt(match, 'resourceRules').length === 0
        ? [required('spec.matchConstraints.resourceRules')]
        : []),
      ...(unchanged ? [] : conditionErrors(spec, 'spec', { params, old: objectAt(old, 'spec') })),
      ...variableErrors(objectsAt(spec, 'variables'), checks, known),
    ],
  };
}

/** Whether nothing changed that could make conditions wrong that were right. */
function sameConditions(spec: ReadJson, old: ReadJson): boolean {
  return sameJson(spec.paramKind, old.paramKind) && sameJson(spec.matchConditions, old.matchConditions);
}
