import { compareQuantities, parseQuantity } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { validateClaimSpec } from '../core/claim-spec.ts';
import { given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain } from '../shared/names.ts';
import { formatErrors, requiredName } from '../shared/values.ts';
import { needed, pluginSources, type SourceRule, validateDriverName } from './plugin-sources.ts';
import { validateDownwardFile, validateItems, validateMode, validateProjected } from './validate-projected.ts';

/** What the pod around a volume says that matters for it. */
export type PodMetadata = ReadJson | undefined;

const payload =
  (key: string): SourceRule =>
  (source, field) => [
    ...(textAt(source, key) === '' ? [required(`${field}.${key}`)] : []),
    ...validateMode(source.defaultMode, `${field}.defaultMode`),
    ...validateItems(source, field),
  ];

function emptyDir(source: ReadJson, field: string): readonly FieldError[] {
  const limit = source.sizeLimit;
  if (typeof limit !== 'string' || compareQuantities(parseQuantity(limit), parseQuantity('0')) >= 0) return [];
  return [forbiddenField(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')];
}

function csi(source: ReadJson, field: string): readonly FieldError[] {
  const errors = [...validateDriverName(textAt(source, 'driver'), `${field}.driver`)];
  const ref = objectAt(source, 'nodePublishSecretRef');
  if (!ref) return errors;
  const name = textAt(ref, 'name');
  if (name === '') errors.push(required(`${field}.nodePublishSecretRef.name`));
  else errors.push(...formatErrors(name, `${field}.name`, dnsSubdomain));
  return errors;
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

function image(source: ReadJson, field: string): readonly FieldError[] {
  const policy = textAt(source, 'pullPolicy');
  const errors = [...needed('reference')(source, field)];
  if (policy === '') errors.push(required(`${field}.pullPolicy`));
  else if (!pullPolicies.includes(policy)) errors.push(notSupported(`${field}.pullPolicy`, policy, pullPolicies));
  return errors;
}

/** In the order in which the server looks at them. */
const sourceRules: Readonly<Record<string, SourceRule>> = {
  emptyDir,
  ...Object.fromEntries(
    ['hostPath', 'gitRepo', 'gcePersistentDisk', 'awsElasticBlockStore'].map((key) => [
      key,
      pluginSources[key] ?? needed(),
    ]),
  ),
  secret: payload('secretName'),
  ...pluginSources,
  persistentVolumeClaim: needed('claimName'),
  configMap: payload('name'),
  downwardAPI: (source, field) => [
    ...validateMode(source.defaultMode, `${field}.defaultMode`),
    ...objectsAt(source, 'items').flatMap((file) => validateDownwardFile(file, field)),
  ],
  projected: validateProjected,
  csi,
  ephemeral: (source, field) => {
    const template = objectAt(source, 'volumeClaimTemplate');
    if (!template) return [required(`${field}.volumeClaimTemplate`)];
    return validateClaimSpec(objectAt(template, 'spec') ?? {}, `${field}.volumeClaimTemplate.spec`);
  },
  image,
};

function validateSource(volume: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const present = Object.keys(sourceRules).filter((key) => given(volume[key]));
  present.forEach((key, i) => {
    if (i > 0) errors.push(forbiddenField(`${field}.${key}`, 'may not specify more than 1 volume type'));
    else errors.push(...(sourceRules[key]?.(objectAt(volume, key) ?? {}, `${field}.${key}`) ?? []));
  });
  if (present.length === 0) errors.push(required(field, 'must specify a volume type'));
  return errors;
}

/** The claim made for an ephemeral volume is called after pod and volume. */
function validateClaimName(volume: ReadJson, pod: PodMetadata, field: string): readonly FieldError[] {
  if (!objectAt(volume, 'ephemeral') || textAt(pod, 'name') === '') return [];
  const claim = `${textAt(pod, 'name')}-${textAt(volume, 'name')}`;
  return dnsSubdomain(claim).map((text) =>
    invalidValue(`${field}.name`, textAt(volume, 'name'), `PVC name ${JSON.stringify(claim)}: ${text}`),
  );
}

/** Volumes of a pod. Answers the errors and the good volumes by name, which mounts may use. */
export function validateVolumes(
  spec: ReadJson,
  field: string,
  pod?: PodMetadata,
): { readonly errors: readonly FieldError[]; readonly volumes: ReadonlyMap<string, ReadJson> } {
  const errors: FieldError[] = [];
  const volumes = new Map<string, ReadJson>();
  const names = new Set<string>();
  objectsAt(spec, 'volumes').forEach((volume, i) => {
    const path = `${field}[${i}]`;
    const name = textAt(volume, 'name');
    const own = [...validateSource(volume, path), ...requiredName(name, `${path}.name`, dnsLabel)];
    if (names.has(name)) own.push(duplicate(`${path}.name`, name));
    if (own.length === 0) {
      names.add(name);
      volumes.set(name, volume);
    }
    errors.push(...own, ...validateClaimName(volume, pod, path));
  });
  return { errors, volumes };
}
