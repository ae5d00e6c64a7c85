import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { defaultPlugins } from '../pod/default-volume.ts';
import { noBacksteps } from '../pod/paths.ts';
import { needed, pluginSources, type SourceRule, validateDriverName } from '../pod/plugin-sources.ts';
import { validateNodeSelector } from '../pod/validate-affinity.ts';
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
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { goDiff } from '../shared/go-diff.ts';
import { goValue } from '../shared/go-value.ts';
import { dnsLabel, dnsSubdomain } from '../shared/names.ts';
import { formatErrors, requiredName, unchanged } from '../shared/values.ts';
import { validateAccessModes, validateBasic, validatePositive, volumeModes } from './claim-spec.ts';

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

function validateCapacity(spec: ReadJson): readonly FieldError[] {
  const capacity = objectAt(spec, 'capacity');
  const field = 'spec.capacity';
  const names = Object.keys(capacity ?? {});
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(names.length === 1 && names[0] === 'storage'
      ? []
      : [notSupported(field, goValue(capacity, '{}s'), ['storage'])]),
    ...Object.entries(capacity ?? {}).flatMap(([name, size]) => [
      ...validateBasic(size, `${field}[${name}]`),
      ...validatePositive(size, `${field}[${name}]`),
    ]),
  ];
}

function validateAffinity(spec: ReadJson): readonly FieldError[] {
  const affinity = objectAt(spec, 'nodeAffinity');
  const field = 'spec.nodeAffinity.required';
  if (!affinity) return [];
  const selector = objectAt(affinity, 'required');
  if (!selector) return [required(field, 'must specify required node constraints')];
  return validateNodeSelector(selector, false, field);
}

/** A reference to a secret in some namespace. */
const secretRef =
  (key: string): SourceRule =>
  (source, field) => {
    const ref = objectAt(source, key);
    if (!ref) return [];
    return [
      ...requiredName(textAt(ref, 'name'), `${field}.${key}.name`, dnsSubdomain),
      ...requiredName(textAt(ref, 'namespace'), `${field}.${key}.namespace`, dnsLabel),
    ];
  };

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

/** Sources that volumes have alone, or with rules of their own. */
const sourceRules: Readonly<Record<string, SourceRule>> = {
  ...pluginSources,
  glusterfs(source, field) {
    const errors = [...needed('endpoints', 'path')(source, field)];
    const { endpointsNamespace } = source;
    if (!given(endpointsNamespace)) return errors;
    const own = `${field}.endpointsNamespace`;
    const text = 'if the endpointnamespace is set, it must be a valid namespace name';
    if (endpointsNamespace === '') return [...errors, invalidValue(own, '', text)];
    return [...errors, ...formatErrors(String(endpointsNamespace), own, dnsLabel)];
  },
  local: (source, field) => {
    const path = textAt(source, 'path');
    return path === '' ? [required(`${field}.path`)] : noBacksteps(path, `${field}.path`);
  },
  csi: (source, field) => [
    ...validateDriverName(textAt(source, 'driver'), `${field}.driver`),
    ...needed('volumeHandle')(source, field),
    ...csiSecrets.flatMap((key) => secretRef(key)(source, field)),
  ],
};

function validateSources(spec: ReadJson): readonly FieldError[] {
  const sources = sourcesOf(spec);
  if (sources.length === 0) return [required('spec', 'must specify a volume type')];
  return sources.flatMap(([key, source], i) => {
    const field = `spec.${key}`;
    if (i > 0) return [forbiddenField(field, 'may not specify more than 1 volume type')];
    const errors = sourceRules[key]?.(source as ReadJson, field) ?? [];
    const bound = key !== 'local' || objectAt(objectAt(spec, 'nodeAffinity'), 'required');
    return bound ? errors : [...errors, required('spec.nodeAffinity', 'Local volume requires node affinity')];
  });
}

function validateClasses(spec: ReadJson): readonly FieldError[] {
  const className = textAt(spec, 'storageClassName');
  const { volumeMode, volumeAttributesClassName: attributes } = spec;
  const errors = className === '' ? [] : [...formatErrors(className, 'spec.storageClassName', dnsSubdomain)];
  if (given(volumeMode) && !volumeModes.includes(String(volumeMode))) {
    errors.push(notSupported('spec.volumeMode', volumeMode, volumeModes));
  }
  if (!given(attributes)) return errors;
  const field = 'spec.volumeAttributesClassName';
  errors.push(...requiredName(String(attributes), field, dnsSubdomain, 'an empty string is disallowed'));
  if (objectAt(spec, 'csi')) return errors;
  return [...errors, required('spec.csi', 'has to be specified when using volumeAttributesClassName')];
}

function validateVolume(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  const isRoot = /^\/+\.?\/*$/.test(textAt(objectAt(spec, 'hostPath'), 'path'));
  const recycleText = "may not be 'recycle' for a hostPath mount of '/'";
  return [
    ...(listAt(spec, 'accessModes').length === 0 ? [required('spec.accessModes')] : validateAccessModes(spec, 'spec')),
    ...validateCapacity(spec),
    ...(reclaimPolicies.includes(policy)
      ? []
      : [notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies)]),
    ...validateAffinity(spec),
    ...validateSources(spec),
    ...(isRoot && policy === 'Recycle' ? [forbiddenField('spec.persistentVolumeReclaimPolicy', recycleText)] : []),
    ...validateClasses(spec),
  ];
}

const recycled =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

export const persistentVolumeStrategy: Strategy = {
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    fillZero(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    fill(spec, 'volumeMode', 'Filesystem');
    const hostPath = objectAt(spec, 'hostPath');
    if (hostPath) fill(hostPath, 'type', '');
    defaultPlugins(spec);
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
  warnings: (object) => (objectAt(object, 'spec')?.persistentVolumeReclaimPolicy === 'Recycle' ? [recycled] : []),
  validateUpdate(object, old) {
    const spec = objectAt(object, 'spec');
    const before = objectAt(old, 'spec');
    const errors: FieldError[] = [];
    const [next, previous] = [Object.fromEntries(sourcesOf(spec)), Object.fromEntries(sourcesOf(before))];
    if (!sameJson(next, previous)) {
      const type = 'core.PersistentVolumeSource';
      const text = 'spec.persistentvolumesource is immutable after creation';
      const difference = goDiff(goValue(previous, type), goValue(next, type));
      errors.push(forbiddenField('spec.persistentvolumesource', `${text}\n${difference}`));
    }
    errors.push(...unchanged(spec?.volumeMode, before?.volumeMode, 'volumeMode'));
    return errors;
  },
};
