import {
  type FieldError,
  type SchemaNode,
  validateColumns,
  validateSelectableFields,
  validateStructural,
  validateSubresources,
} from '@coxswain/schema';
import { listAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';
import { invalidValue, notSupported, required } from '../builtin/shared/errors.ts';
import { dns1035Label, dnsSubdomain } from '../builtin/shared/names.ts';
import { unchanged } from '../builtin/shared/values.ts';
import { approvalAnnotation, approvalOf, isProtectedGroup } from './approval.ts';
import { annotationsOf } from './crd-object.ts';
import { versionsForm } from './go-form.ts';
import { bundleErrors, validateConversion } from './validate-conversion.ts';
import { validateDeprecation } from './validate-deprecation.ts';

const requiredNames = ['plural', 'singular', 'kind', 'listKind'];

function missingNames(names: ReadJson | undefined): readonly FieldError[] {
  return requiredNames.flatMap((key) => (textAt(names, key) === '' ? [required(`spec.names.${key}`)] : []));
}

/** @param at `spec.names` or `status.acceptedNames` */
function validateNames(names: ReadJson | undefined, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const check = (value: string, field: string, prefix = '') => {
    const texts = value === '' ? [] : dns1035Label(prefix === '' ? value : value.toLowerCase());
    if (texts.length > 0) errors.push(invalidValue(field, value, `${prefix}${texts.join(',')}`));
  };
  const mixed = 'may have mixed case, but should otherwise match: ';
  check(textAt(names, 'plural'), `${at}.plural`);
  check(textAt(names, 'singular'), `${at}.singular`);
  check(textAt(names, 'kind'), `${at}.kind`, mixed);
  check(textAt(names, 'listKind'), `${at}.listKind`, mixed);
  listAt(names, 'shortNames').forEach((name, i) => void check(String(name), `${at}.shortNames[${i}]`));
  if (textAt(names, 'kind') !== '' && names?.kind === names?.listKind) {
    errors.push(invalidValue(`${at}.listKind`, names?.listKind, 'kind and listKind may not be the same'));
  }
  listAt(names, 'categories').forEach((name, i) => void check(String(name), `${at}.categories[${i}]`));
  return errors;
}

function validateGroup(group: string): readonly FieldError[] {
  if (group === '') return [required('spec.group')];
  const texts = dnsSubdomain(group);
  if (texts.length > 0) return [invalidValue('spec.group', group, texts.join(','))];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

/** What of a version is checked, and where errors of it are reported when all versions agree on it. */
interface VersionPart {
  /** Below `spec.versions[i]`. */
  readonly own: string;
  readonly shared: string;
  value(version: ReadJson): unknown;
  check(version: ReadJson, field: string): readonly FieldError[];
}

/** The schema in a version of a definition. */
export const schemaOf = (version: ReadJson) => objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');

const schemaPart: VersionPart = {
  own: 'schema.openAPIV3Schema',
  shared: 'spec.validation.openAPIV3Schema',
  value: schemaOf,
  check(version, field) {
    const schema = schemaOf(version);
    return schema ? validateStructural(schema as SchemaNode, field) : [];
  },
};

const versionParts: readonly VersionPart[] = [
  schemaPart,
  {
    own: 'subresources',
    shared: 'spec.subresources',
    value: (version) => version.subresources,
    check: (version, field) => validateSubresources(version.subresources, field),
  },
  {
    own: 'additionalPrinterColumns',
    shared: 'spec.additionalPrinterColumns',
    value: (version) => version.additionalPrinterColumns,
    check: validateColumns,
  },
  {
    own: 'selectableFields',
    shared: 'spec.selectableFields',
    value: (version) => version.selectableFields,
    check: validateSelectableFields,
  },
];

/** The server keeps what all versions have in common once, and reports it there. */
function isShared(part: VersionPart, versions: readonly ReadJson[]): boolean {
  return versions.every((version) => sameJson(part.value(version), part.value(versions[0] ?? {})));
}

/** The schemas of a definition, each with the place where errors of it are reported. */
export function schemaPlaces(versions: readonly ReadJson[]): readonly { version: ReadJson; field: string }[] {
  const [first] = versions;
  if (first && isShared(schemaPart, versions)) return [{ version: first, field: schemaPart.shared }];
  return versions.map((version, i) => ({ version, field: `spec.versions[${i}].${schemaPart.own}` }));
}

function validateSharedParts(versions: readonly ReadJson[]): readonly FieldError[] {
  return versionParts
    .filter((part) => isShared(part, versions))
    .flatMap((part) => part.check(versions[0] ?? {}, part.shared));
}

function validateVersion(version: ReadJson, versions: readonly ReadJson[], field: string): readonly FieldError[] {
  const name = textAt(version, 'name');
  const texts = dns1035Label(name);
  const errors = texts.length > 0 ? [invalidValue(`${field}.name`, name, texts.join(','))] : [];
  errors.push(...validateDeprecation(version, field));
  for (const part of versionParts) {
    if (!isShared(part, versions)) errors.push(...part.check(version, `${field}.${part.own}`));
  }
  return errors;
}

function validateVersions(spec: ReadJson): readonly FieldError[] {
  const versions = objectsAt(spec, 'versions');
  const errors: FieldError[] = versions.flatMap((version, i) =>
    schemaOf(version) ? [] : [required(`spec.versions[${i}].schema.openAPIV3Schema`)],
  );
  errors.push(...versions.flatMap((version, i) => validateVersion(version, versions, `spec.versions[${i}]`)));
  const names = versions.map((version) => version.name);
  if (new Set(names).size !== names.length) {
    errors.push(invalidValue('spec.versions', versionsForm(versions), 'must contain unique version names'));
  }
  if (versions.filter((version) => version.storage === true).length !== 1) {
    const text = 'must have exactly one version marked as storage version';
    errors.push(invalidValue('spec.versions', versionsForm(versions), text));
  }
  const first = textAt(versions[0], 'name');
  const texts = first === '' ? [] : dns1035Label(first);
  if (texts.length > 0) errors.push(invalidValue('spec.version', first, texts.join(',')));
  return errors;
}

function validateStoredVersions(object: ReadJson): readonly FieldError[] {
  const stored = listAt(objectAt(object, 'status'), 'storedVersions').map(String);
  const field = 'status.storedVersions';
  if (stored.length === 0) return [invalidValue(field, null, 'must have at least one stored version')];
  const versions = objectsAt(objectAt(object, 'spec'), 'versions');
  // A version that comes twice is looked for once only.
  const left = new Set(stored);
  const errors = versions.flatMap((version) => {
    const name = textAt(version, 'name');
    const missing = !left.delete(name) && version.storage === true;
    return missing ? [invalidValue(field, stored, `must have the storage version ${name}`)] : [];
  });
  stored.forEach((name, i) => {
    if (versions.some((version) => version.name === name)) return;
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${field}[${i}]`, name, text));
  });
  return errors;
}

/** Groups of the Kubernetes project itself need a sign of approval. */
function validateApproval(object: ReadJson, group: string): readonly FieldError[] {
  if (!isProtectedGroup(group)) return [];
  const field = `metadata.annotations[${approvalAnnotation}]`;
  const { reason, message } = approvalOf(object);
  if (reason === 'MissingAnnotation') return [required(field, message)];
  return reason === 'InvalidAnnotation'
    ? [invalidValue(field, annotationsOf(object)[approvalAnnotation], message)]
    : [];
}

/** The status, as far as it says names. */
export function validateStatus(object: ReadJson): readonly FieldError[] {
  return validateNames(objectAt(objectAt(object, 'status'), 'acceptedNames'), 'status.acceptedNames');
}

/** A whole CustomResourceDefinition: names, versions, schemas, subresources, columns, conversion. */
export function validateCrd(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const names = objectAt(spec, 'names');
  const group = textAt(spec, 'group');
  const errors: FieldError[] = [];
  const name = textAt(objectAt(object, 'metadata'), 'name');
  // Only new definitions have no version yet; later the names are fixed one by one.
  const isNew = objectAt(object, 'metadata')?.resourceVersion === undefined;
  if (isNew && name !== `${textAt(names, 'plural')}.${group}`) {
    errors.push(invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  }
  errors.push(...validateGroup(group));
  const scope = textAt(spec, 'scope');
  if (scope === '') errors.push(required('spec.scope'));
  else if (!['Cluster', 'Namespaced'].includes(scope)) {
    errors.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  }
  errors.push(
    ...validateVersions(spec),
    ...missingNames(names),
    ...validateNames(names, 'spec.names'),
    ...validateSharedParts(objectsAt(spec, 'versions')),
  );
  if (spec.preserveUnknownFields === true) {
    const text =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalidValue('spec.preserveUnknownFields', true, text));
  }
  errors.push(...validateConversion(spec), ...validateStatus(object));
  errors.push(...validateStoredVersions(object), ...validateApproval(object, group));
  return errors;
}

/** What may no longer change; scope and kind are fixed once the names were accepted. */
export function validateCrdUpdate(object: ReadJson, old: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec');
  const before = objectAt(old, 'spec');
  const names = objectAt(spec, 'names');
  const oldNames = objectAt(before, 'names');
  const established = objectsAt(objectAt(old, 'status'), 'conditions').some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
  return [
    ...(established ? unchanged(spec?.scope, before?.scope, 'spec.scope') : []),
    ...(established ? unchanged(names?.kind, oldNames?.kind, 'spec.names.kind') : []),
    ...unchanged(spec?.group, before?.group, 'spec.group'),
    ...unchanged(names?.plural, oldNames?.plural, 'spec.names.plural'),
    ...(established && bundleErrors(before).length === 0 ? bundleErrors(spec) : []),
  ];
}
