import type { MutableJson } from '@coxswain/k8s';
import { compareQuantities, parseQuantity } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { ensureObject, fill, listAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsSubdomain } from '../shared/names.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { formatErrors } from '../shared/values.ts';

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

/** Fills the spec of a PersistentVolumeClaim, also inside templates. */
export function defaultClaimSpec(spec: MutableJson): void {
  fill(spec, 'volumeMode', 'Filesystem');
  ensureObject(spec, 'resources');
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = dataSource;
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

/** A size that must be given and above zero. */
export function validateSize(size: unknown, field: string): readonly FieldError[] {
  if (size === undefined || size === null) return [required(field)];
  try {
    const quantity = parseQuantity(size as string | number);
    if (compareQuantities(quantity, parseQuantity('0')) > 0) return [];
    return [invalidValue(field, String(size), 'must be greater than zero')];
  } catch {
    return [];
  }
}

/** The spec of a PersistentVolumeClaim at `field`. */
export function validateClaimSpec(spec: ReadJson, field: string): readonly FieldError[] {
  const requests = objectAt(objectAt(spec, 'resources'), 'requests');
  const className = textAt(spec, 'storageClassName');
  const mode = spec.volumeMode;
  return [
    ...validateAccessModes(spec, field),
    ...validateLabelSelector(objectAt(spec, 'selector'), `${field}.selector`),
    ...validateSize(requests?.storage, `${field}.resources[storage]`),
    ...(className === '' ? [] : formatErrors(className, `${field}.storageClassName`, dnsSubdomain)),
    ...(mode === undefined || volumeModes.includes(String(mode))
      ? []
      : [notSupported(`${field}.volumeMode`, mode, volumeModes)]),
  ];
}
