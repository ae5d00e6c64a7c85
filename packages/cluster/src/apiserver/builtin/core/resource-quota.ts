import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, listAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { invalidValue, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { validateResourceAmount } from '../shared/quantities.ts';
import { isStandardQuotaResource, validateResourceName } from '../shared/resource-names.ts';

const existing = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'];
const scopes = [...existing, 'PriorityClass', 'VolumeAttributesClass'];
const podResources = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const claimResources = ['persistentvolumeclaims', 'requests.storage'];
const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

/** Which resources a scope can narrow. */
function isScopeFor(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass')
    return claimResources.includes(name) || name.includes('.storageclass.storage.k8s.io/');
  return scopes.includes(scope) ? name === 'pods' || podResources.includes(name) : true;
}

function validateAmounts(amounts: ReadJson | undefined, field: string): readonly FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, value]) => {
    const own = `${field}[${name}]`;
    const errors = [...validateResourceName(name, own)];
    if (!name.includes('/') && !isStandardQuotaResource(name)) {
      errors.push(invalidValue(own, name, 'must be a standard resource for quota'));
    }
    return [...errors, ...validateResourceAmount(name, value, own)];
  });
}

function misapplied(scope: string, spec: ReadJson): number {
  const names = Object.keys(objectAt(spec, 'hard') ?? {});
  return names.filter((name) => isStandardQuotaResource(name) && !isScopeFor(scope, name)).length;
}

function validateScopes(spec: ReadJson): readonly FieldError[] {
  const given = listAt(spec, 'scopes').map(String);
  const refuse = (text: string) => invalidValue('spec.scopes', given, text);
  return [
    ...given.flatMap((scope) => [
      ...(scopes.includes(scope) ? [] : [refuse('unsupported scope')]),
      ...(misapplied(scope, spec) > 0 ? [refuse('unsupported scope applied to resource')] : []),
    ]),
    ...conflicts.filter((pair) => pair.every((scope) => given.includes(scope))).map(() => refuse('conflicting scopes')),
  ];
}

const existsText =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateRequirement(requirement: ReadJson, spec: ReadJson, field: string): readonly FieldError[] {
  const scope = textAt(requirement, 'scopeName');
  const operator = textAt(requirement, 'operator');
  const values = listAt(requirement, 'values');
  const errors: FieldError[] = [];
  if (!scopes.includes(scope)) errors.push(invalidValue(`${field}.scopeName`, scope, 'unsupported scope'));
  if (misapplied(scope, spec) > 0) {
    const shown = goValue(objectAt(spec, 'scopeSelector'), 'core.ScopeSelector');
    errors.push(invalidValue(field, shown, 'unsupported scope applied to resource'));
  }
  if (existing.includes(scope) && operator !== 'Exists')
    errors.push(invalidValue(`${field}.operator`, operator, existsText));
  if (operator === 'In' || operator === 'NotIn') {
    const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) errors.push(required(`${field}.values`, text));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const text = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) errors.push(invalidValue(`${field}.values`, values, text));
  } else errors.push(invalidValue(`${field}.operator`, operator, 'not a valid selector operator'));
  return errors;
}

function validateSelector(spec: ReadJson): readonly FieldError[] {
  const field = 'spec.scopeSelector.matchExpressions';
  const requirements = objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions');
  const given = requirements.map((requirement) => textAt(requirement, 'scopeName'));
  return [
    ...requirements.flatMap((requirement) => validateRequirement(requirement, spec, field)),
    ...conflicts
      .filter((pair) => pair.every((scope) => given.includes(scope)))
      .map(() => invalidValue(field, spec.scopes ?? null, 'conflicting scopes')),
  ];
}

/** The status of a quota: the same names and amounts as its spec. */
export function validateQuotaStatus(object: ReadJson): readonly FieldError[] {
  const status = objectAt(object, 'status');
  return ['hard', 'used'].flatMap((key) => validateAmounts(objectAt(status, key), `status.${key}`));
}

export const resourceQuotaStrategy: Strategy = {
  default(draft) {
    ensureObject(draft, 'spec');
    ensureObject(draft, 'status');
  },
  validate(object) {
    const spec = objectAt(object, 'spec') ?? {};
    return [
      ...validateAmounts(objectAt(spec, 'hard'), 'spec.hard'),
      ...validateScopes(spec),
      ...validateSelector(spec),
    ];
  },
  validateUpdate(object, old) {
    const same = sameJson(objectAt(object, 'spec')?.scopes ?? [], objectAt(old, 'spec')?.scopes ?? []);
    return same ? [] : [invalidValue('spec.scopes', objectAt(object, 'spec')?.scopes ?? null, 'field is immutable')];
  },
};
