import type { MutableJson } from '@coxswain/k8s';
import { compareQuantities, formatQuantity, quantityValue } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import {
  copyJson,
  ensureObject,
  fill,
  given,
  isObject,
  listAt,
  objectAt,
  type ReadJson,
  textAt,
} from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain } from '../shared/names.ts';
import { quantityAt, zeroQuantity } from '../shared/quantities.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { formatErrors } from '../shared/values.ts';

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** Fills the spec of a PersistentVolumeClaim, also inside templates. */
export function defaultClaimSpec(spec: MutableJson): void {
  fill(spec, 'volumeMode', 'Filesystem');
  ensureObject(spec, 'resources');
}

function isOldSource(source: ReadJson): boolean {
  const kind = `${textAt(source, 'apiGroup')}/${textAt(source, 'kind')}`;
  return ['/PersistentVolumeClaim', 'snapshot.storage.k8s.io/VolumeSnapshot'].includes(kind);
}

/** The older of the two sources only takes what it always took; whichever is given fills the other. */
export function mirrorSources(spec: MutableJson): void {
  const { dataSource, dataSourceRef } = spec;
  if (isObject(dataSource) && !dataSourceRef) {
    if (isOldSource(dataSource)) spec.dataSourceRef = copyJson(dataSource);
    else delete spec.dataSource;
  } else if (isObject(dataSourceRef) && !dataSource && textAt(dataSourceRef, 'namespace') === '') {
    const { namespace: _, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}

export function validateAccessModes(spec: ReadJson, field: string): readonly FieldError[] {
  const modes = listAt(spec, 'accessModes').map(String);
  if (modes.length === 0) return [required(`${field}.accessModes`, 'at least 1 access mode is required')];
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(`${field}.accessModes`, mode, accessModes));
  if (
    modes.includes('ReadWriteOncePod') &&
    modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))
  ) {
    errors.push(forbiddenField(`${field}.accessModes`, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

/** Zero is not enough. */
export function validatePositive(size: unknown, field: string): readonly FieldError[] {
  const quantity = quantityAt(size);
  if (!quantity || compareQuantities(quantity, zeroQuantity) > 0) return [];
  return [invalidValue(field, formatQuantity(quantity), 'must be greater than zero')];
}

/** Amounts below zero, as the oldest rules say it. */
export function validateBasic(size: unknown, field: string): readonly FieldError[] {
  const quantity = quantityAt(size);
  if (!quantity || compareQuantities(quantity, zeroQuantity) >= 0) return [];
  return [invalidValue(field, Number(quantityValue(quantity)), 'must be a valid resource quantity')];
}

const ownKind = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";

function validateSource(source: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!source) return [];
  const [name, kind, group] = [textAt(source, 'name'), textAt(source, 'kind'), textAt(source, 'apiGroup')];
  const namespace = textAt(source, 'namespace');
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(kind === '' ? [required(`${field}.kind`)] : []),
    ...(group === '' && kind !== 'PersistentVolumeClaim' ? [invalidValue(field, kind, ownKind)] : []),
    ...(group === '' ? [] : formatErrors(group, `${field}.apiGroup`, dnsSubdomain)),
    ...(namespace === '' ? [] : formatErrors(namespace, `${field}.namespace`, dnsLabel)),
  ];
}

function validateSources(spec: ReadJson, field: string): readonly FieldError[] {
  const [source, ref] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  const errors = [...validateSource(source, `${field}.dataSource`), ...validateSource(ref, `${field}.dataSourceRef`)];
  if (!source || !ref) return errors;
  if (textAt(ref, 'namespace') !== '') {
    return [...errors, invalidValue(field, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  }
  const same = ['apiGroup', 'kind', 'name'].every((key) => textAt(source, key) === textAt(ref, key));
  return same ? errors : [...errors, invalidValue(field, {}, 'must match dataSourceRef')];
}

/** The spec of a PersistentVolumeClaim at `field`. */
export function validateClaimSpec(spec: ReadJson, field: string): readonly FieldError[] {
  const requests = objectAt(objectAt(spec, 'resources'), 'requests');
  const storage = `${field}.resources[storage]`;
  const [className, attributes] = [textAt(spec, 'storageClassName'), textAt(spec, 'volumeAttributesClassName')];
  const mode = spec.volumeMode;
  const modes = validateAccessModes(spec, field);
  const none = listAt(spec, 'accessModes').length === 0;
  return [
    ...(none ? modes : []),
    ...validateLabelSelector(objectAt(spec, 'selector'), `${field}.selector`),
    ...(none ? [] : modes),
    ...(given(requests?.storage) ? validatePositive(requests?.storage, storage) : [required(storage)]),
    ...(className === '' ? [] : formatErrors(className, `${field}.storageClassName`, dnsSubdomain)),
    ...(mode === undefined || volumeModes.includes(String(mode))
      ? []
      : [notSupported(`${field}.volumeMode`, mode, volumeModes)]),
    ...validateSources(spec, field),
    ...(attributes === '' ? [] : formatErrors(attributes, `${field}.volumeAttributesClassName`, dnsSubdomain)),
  ];
}
