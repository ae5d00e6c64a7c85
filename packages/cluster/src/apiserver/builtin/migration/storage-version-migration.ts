import type { DynamicObject } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { checkConditions } from '../shared/conditions.ts';
import { ensureObject, fill, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, required } from '../shared/errors.ts';
import { dns1035Label, dnsSubdomain } from '../shared/names.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { unchanged } from '../shared/values.ts';

const statusOf = (object: ReadJson) => objectAt(object, 'status');
const conditionsOf = (object: ReadJson) => objectsAt(statusOf(object), 'conditions');
const isTrue = (object: ReadJson, type: string): boolean =>
  conditionsOf(object).find((one) => textAt(one, 'type') === type)?.status === 'True';

function joined(texts: readonly string[], field: string, value: string): readonly FieldError[] {
  return texts.length === 0 ? [] : [invalidValue(field, value, texts.join(','))];
}

function resourceErrors(object: ReadJson): readonly FieldError[] {
  const wanted = objectAt(objectAt(object, 'spec'), 'resource');
  const [resource, group] = [textAt(wanted, 'resource'), textAt(wanted, 'group')];
  return [
    ...(resource === ''
      ? [required('spec.resource.resource', 'resource is required to be set')]
      : joined(dns1035Label(resource), 'spec.resource.resource', resource)),
    ...(group === '' ? [] : joined(dnsSubdomain(group), 'spec.resource.group', group)),
  ];
}

/** What `/status` may write: an outcome stays, and so does the version that the migration began at. */
export function migrationStatus(object: DynamicObject, old: DynamicObject): readonly FieldError[] {
  const [version, before] = [textAt(statusOf(object), 'resourceVersion'), textAt(statusOf(old), 'resourceVersion')];
  const errors: FieldError[] = [];
  const versionField = 'status.resourceVersion';
  if (version !== '' && !/^(0|[1-9][0-9]*)$/.test(version)) {
    errors.push(invalidValue(versionField, version, `resource version is not well formed: ${version}`));
  }
  errors.push(...checkConditions(conditionsOf(object), 'status.conditions'));
  if (before !== '' && before !== version) errors.push(invalidValue(versionField, version, 'field is immutable'));
  const wrong = (text: string) => errors.push(invalidValue('status.conditions', conditionsOf(object), text));
  if (isTrue(object, 'Succeeded') && isTrue(object, 'Failed')) {
    wrong('Both success and failed conditions cannot be true at the same time');
  }
  for (const [type, name] of [
    ['Succeeded', 'Success'],
    ['Failed', 'Failed'],
  ] as const) {
    if (isTrue(old, type) && !isTrue(object, type)) wrong(`${name} condition cannot be set to false once it is true`);
  }
  return errors;
}

export const storageVersionMigrationStrategy: Strategy = {
  resets: statusOnlyResets,
  default(draft) {
    const wanted = ensureObject(ensureObject(draft, 'spec'), 'resource');
    fill(wanted, 'group', '');
    fill(wanted, 'resource', '');
    ensureObject(draft, 'status');
  },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  validate: resourceErrors,
  validateUpdate: (object, old) => unchanged(object.spec, old.spec, 'spec'),
};
