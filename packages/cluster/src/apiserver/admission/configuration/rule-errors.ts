import type { FieldError } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { duplicate, invalidValue, notSupported, required } from '../../builtin/shared/errors.ts';
import { pathSegment } from '../../builtin/shared/names.ts';
import { validateLabelSelector } from '../../builtin/shared/selectors.ts';
import { textsAt } from '../matching/index.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
const matchPolicies = ['Equivalent', 'Exact'];

export const failurePolicies = ['Fail', 'Ignore'];
export const reinvocationPolicies = ['IfNeeded', 'Never'];

/** Errors of an optional word that has to be one of a few. */
export function wordErrors(value: unknown, field: string, supported: readonly string[]): readonly FieldError[] {
  if (value === undefined || value === null) return [];
  return supported.includes(String(value)) ? [] : [notSupported(field, value, supported)];
}

/** As {@link wordErrors}, of a word that has to be given. */
export const givenWordErrors = (value: unknown, field: string, supported: readonly string[]): readonly FieldError[] =>
  value === undefined || value === null || value === '' ? [required(field)] : wordErrors(value, field, supported);

/** A list that has to be given; `*` stands alone in it. */
function listErrors(rule: ReadJson, key: string, field: string, others: string): FieldError[] {
  const items = textsAt(rule, key);
  const here = `${field}.${key}`;
  if (items.length === 0) return [required(here)];
  if (items.length === 1 || !items.includes('*')) return [];
  return [invalidValue(here, items, `if '*' is present, must not specify other ${others}`)];
}

function resourceErrors(resources: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(field)] : [];
  const all = { of: new Set<string>(), with: new Set<string>() };
  let plain = false;
  for (const [i, text] of resources.entries()) {
    const here = `${field}[${i}]`;
    const slash = text.indexOf('/');
    if (text === '') errors.push(required(here));
    else if (slash < 0) plain = text !== '*';
    if (slash < 0) continue;
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    const clash = (pattern: string) => invalidValue(here, text, `if '${pattern}' is present, must not specify ${text}`);
    if (all.of.has(resource)) errors.push(clash(`${resource}/*`));
    if (all.with.has(subresource)) errors.push(clash(`*/${subresource}`));
    if (subresource === '*') all.of.add(resource);
    if (resource === '*') all.with.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && plain) {
    const why = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidValue(field, resources, why));
  }
  return errors;
}

/** Errors of a rule that says which requests are meant. */
export function ruleErrors(rule: ReadJson, field: string): readonly FieldError[] {
  const versions = textsAt(rule, 'apiVersions');
  return [
    ...listErrors(rule, 'operations', field, 'operations'),
    ...textsAt(rule, 'operations').flatMap((operation, i) =>
      wordErrors(operation, `${field}.operations[${i}]`, operations),
    ),
    ...listErrors(rule, 'apiGroups', field, 'API groups'),
    ...listErrors(rule, 'apiVersions', field, 'API versions'),
    ...versions.flatMap((version, i) => (version === '' ? [required(`${field}.apiVersions[${i}]`)] : [])),
    ...resourceErrors(textsAt(rule, 'resources'), `${field}.resources`),
    ...wordErrors(rule.scope, `${field}.scope`, scopes),
  ];
}

function namedRuleErrors(rule: ReadJson, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  const names = textsAt(rule, 'resourceNames').flatMap((name, i) => {
    const here = `${field}.resourceNames[${i}]`;
    const twice = seen.has(name) ? [duplicate(here, name)] : [];
    seen.add(name);
    return [...pathSegment(name).map((text) => invalidValue(here, name, text)), ...twice];
  });
  return [...names, ...ruleErrors(rule, field)];
}

/** Errors of what says which objects a policy or a binding is for. */
export function matchErrors(match: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!match) return [];
  const selectors = ['namespaceSelector', 'objectSelector'].flatMap((key) =>
    validateLabelSelector(objectAt(match, key), `${field}.${key}`),
  );
  const rules = ['resourceRules', 'excludeResourceRules'].flatMap((key) =>
    objectsAt(match, key).flatMap((rule, i) => namedRuleErrors(rule, `${field}.${key}[${i}]`)),
  );
  return [...givenWordErrors(match.matchPolicy, `${field}.matchPolicy`, matchPolicies), ...selectors, ...rules];
}

/** Mutating policies are for what is written, not for what is deleted. */
export function writeOnlyErrors(match: ReadJson | undefined, field: string): readonly FieldError[] {
  const supported = operations.filter((operation) => operation !== 'DELETE');
  return objectsAt(match, 'resourceRules').flatMap((rule) =>
    textsAt(rule, 'operations').flatMap((one) => wordErrors(one, `${field}.resourceRules.operations`, supported)),
  );
}

/** Names that are kept for what a server reads from files at its start. */
const reservedSuffix = '.static.k8s.io';

const reservedText = `names ending with ${JSON.stringify(reservedSuffix)} are reserved for static manifest-based configurations and cannot be managed via the API`;

/** Errors of the name of a new object. Old ones are only warned of. */
export function nameErrors(object: ReadJson): readonly FieldError[] {
  const name = textAt(objectAt(object, 'metadata'), 'name');
  return name.endsWith(reservedSuffix) ? [invalidValue('metadata.name', name, reservedText)] : [];
}
