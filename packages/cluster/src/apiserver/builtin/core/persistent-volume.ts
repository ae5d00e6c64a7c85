import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  fillZero,
  given,
  listAt,
  objectAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { forbiddenField, notSupported, required } from '../shared/errors.ts';
import { unchanged } from '../shared/values.ts';
import { validateAccessModes, validateSize } from './claim-spec.ts';

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

/** Everything of a PersistentVolumeSpec that is not a volume source. */
const plainFields = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

function sourcesOf(spec: ReadJson | undefined): readonly (readonly [string, unknown])[] {
  return Object.entries(spec ?? {}).filter(([key, value]) => !plainFields.has(key) && given(value));
}

function validateVolume(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const modes = validateAccessModes(spec, 'spec');
  const errors = listAt(spec, 'accessModes').length === 0 ? [required('spec.accessModes')] : [...modes];
  if (!objectAt(spec, 'capacity')) {
    errors.push(required('spec.capacity'), notSupported('spec.capacity', null, ['storage']));
  } else errors.push(...validateSize(objectAt(spec, 'capacity')?.storage, 'spec.capacity[storage]'));
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  if (!reclaimPolicies.includes(policy)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies));
  }
  const sources = sourcesOf(spec);
  if (sources.length === 0) errors.push(required('spec', 'must specify a volume type'));
  for (const [key] of sources.slice(1)) {
    errors.push(forbiddenField(`spec.${key}`, 'may not specify more than 1 volume type'));
  }
  return errors;
}

export const persistentVolumeStrategy: Strategy = {
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    fillZero(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    fill(spec, 'volumeMode', 'Filesystem');
    const hostPath = objectAt(spec, 'hostPath');
    if (hostPath) fill(hostPath, 'type', '');
    fillZero(ensureObject(draft, 'status'), 'phase', 'Pending');
  },
  prepareCreate(draft, { clock }) {
    draft.status = {
      phase: 'Pending',
      lastPhaseTransitionTime: new Date(clock.now()).toISOString().replace(/\.\d+/, ''),
    };
  },
  prepareUpdate(draft, old, { clock }) {
    const status = objectAt(draft, 'status');
    if (!status || textAt(status, 'phase') === textAt(objectAt(old, 'status'), 'phase')) return;
    status.lastPhaseTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+/, '');
  },
  validate: validateVolume,
  validateUpdate(object, old) {
    const spec = objectAt(object, 'spec');
    const before = objectAt(old, 'spec');
    const errors: FieldError[] = [];
    if (!sameJson(Object.fromEntries(sourcesOf(spec)), Object.fromEntries(sourcesOf(before)))) {
      errors.push(
        forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'),
      );
    }
    errors.push(...unchanged(spec?.volumeMode, before?.volumeMode, 'volumeMode'));
    return errors;
  },
};
