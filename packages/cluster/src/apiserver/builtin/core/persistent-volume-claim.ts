import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { compareQuantities, parseQuantity } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { copyJson, ensureObject, fillZero, objectAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { forbiddenField, notSupported } from '../shared/errors.ts';
import { fractionalBytes } from '../shared/fractional-bytes.ts';
import { goDiff } from '../shared/go-diff.ts';
import { goValue } from '../shared/go-value.ts';
import { unchanged } from '../shared/values.ts';
import { defaultClaimSpec, mirrorSources, validateBasic, validateClaimSpec } from './claim-spec.ts';

function storageOf(parent: ReadJson | undefined): unknown {
  return objectAt(parent, 'requests')?.storage ?? objectAt(parent, 'capacity')?.storage;
}

function isLess(a: unknown, b: unknown, orEqual: boolean): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const order = compareQuantities(parseQuantity(a), parseQuantity(b));
  return orEqual ? order <= 0 : order < 0;
}

/** The new spec with everything that may change set back to the old. */
function withFixedFields(
  object: ReadJson,
  old: ReadJson,
): { readonly next: MutableJson; readonly before: MutableJson } {
  const next = copyJson(objectAt(object, 'spec') ?? {});
  const before = copyJson(objectAt(old, 'spec') ?? {});
  if (textAt(before, 'volumeName') === '') before.volumeName = next.volumeName;
  if (before.storageClassName === undefined && next.storageClassName !== undefined) {
    before.storageClassName = next.storageClassName;
  }
  if (textAt(objectAt(object, 'status'), 'phase') === 'Bound') {
    const requests = objectAt(objectAt(next, 'resources'), 'requests');
    const storage = storageOf(objectAt(before, 'resources'));
    if (requests) requests.storage = storage;
    next.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  return { next, before };
}

const fixedText =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';

function validateClaimUpdate(object: DynamicObject, old: DynamicObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { next, before } = withFixedFields(object, old);
  if (!sameJson(next, before)) {
    const [was, is] = [before, next].map((spec) => goValue(spec, 'core.PersistentVolumeClaimSpec'));
    errors.push(forbiddenField('spec', `${fixedText}${goDiff(was, is)}`));
  }
  const newSize = storageOf(objectAt(objectAt(object, 'spec'), 'resources')) ?? '0';
  const oldSize = storageOf(objectAt(objectAt(old, 'spec'), 'resources'));
  const capacity = storageOf(objectAt(old, 'status')) ?? '0';
  if (isLess(newSize, oldSize, false) && isLess(newSize, capacity, true)) {
    errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  errors.push(...unchanged(objectAt(object, 'spec')?.volumeMode, objectAt(old, 'spec')?.volumeMode, 'volumeMode'));
  return errors;
}

const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** The status of a claim: amounts, and how far a change of its size has come. */
export function validateClaimStatus(object: ReadJson): readonly FieldError[] {
  const status = objectAt(object, 'status');
  const entries = (key: string) => Object.entries(objectAt(status, key) ?? {});
  const own = (name: string) => name === 'storage' || name.includes('/');
  return [
    ...entries('capacity').flatMap(([name, size]) => validateBasic(size, `status.capacity[${name}]`)),
    ...entries('allocatedResourceStatuses').flatMap(([name, state]) => {
      const field = 'status.allocatedResourceStatuses';
      if (!own(name)) return [notSupported(field, name, ['storage'])];
      return resizeStates.includes(String(state)) ? [] : [notSupported(field, name, resizeStates)];
    }),
    ...entries('allocatedResources').flatMap(([name, size]) => {
      const field = 'status.allocatedResources';
      return own(name) ? validateBasic(size, `${field}[${name}]`) : [notSupported(field, name, ['storage'])];
    }),
  ];
}

/** What is odd about the spec of a claim. */
export function claimWarnings(spec: ReadJson | undefined, path: string): readonly string[] {
  return ['requests', 'limits'].flatMap((key) =>
    fractionalBytes(objectAt(objectAt(spec, 'resources'), key)?.storage, `${path}.resources.${key}[storage]`),
  );
}

export const persistentVolumeClaimStrategy: Strategy = {
  default(draft) {
    defaultClaimSpec(ensureObject(draft, 'spec'));
    fillZero(ensureObject(draft, 'status'), 'phase', 'Pending');
  },
  prepareCreate(draft) {
    draft.status = { phase: 'Pending' };
    mirrorSources(ensureObject(draft, 'spec'));
  },
  prepareUpdate(draft, _old, { subresource }) {
    if (subresource === '') mirrorSources(ensureObject(draft, 'spec'));
  },
  warnings: (object) => claimWarnings(objectAt(object, 'spec'), 'spec'),
  validate: (object) => validateClaimSpec(objectAt(object, 'spec') ?? {}, 'spec'),
  validateUpdate: (object, old, { subresource }) => (subresource === '' ? validateClaimUpdate(object, old) : []),
};
