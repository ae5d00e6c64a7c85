import type { FieldError } from '@coxswain/schema';
import { validateClaimSpec } from '../core/claim-spec.ts';
import { given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notFoundValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel } from '../shared/names.ts';
import { requiredName } from '../shared/values.ts';

const modeText = 'must be a number between 0 and 0777 (octal), both inclusive';
const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateMode(value: unknown, field: string): readonly FieldError[] {
  return typeof value === 'number' && (value < 0 || value > 0o777) ? [invalidValue(field, value, modeText)] : [];
}

function noBacksteps(path: string, field: string): readonly FieldError[] {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
}

/** A relative path that stays below where it starts. */
export function descendingPath(path: string, field: string): readonly FieldError[] {
  const errors = path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : [];
  return [...errors, ...noBacksteps(path, field)];
}

function localPath(path: string, field: string): readonly FieldError[] {
  const errors = [...descendingPath(path, field)];
  if (path.startsWith('..') && !path.startsWith('../'))
    errors.push(invalidValue(field, path, "must not start with '..'"));
  return errors;
}

function validateItems(source: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(source, 'items').flatMap((item, i) => {
    const path = `${field}.items[${i}]`;
    const errors: FieldError[] = [];
    if (textAt(item, 'key') === '') errors.push(required(`${path}.key`));
    if (textAt(item, 'path') === '') errors.push(required(`${path}.path`));
    errors.push(...localPath(textAt(item, 'path'), `${path}.path`), ...validateMode(item.mode, `${path}.mode`));
    return errors;
  });
}

type SourceRule = (source: ReadJson, field: string) => readonly FieldError[];

const named =
  (key: string): SourceRule =>
  (source, field) => [
    ...(textAt(source, key) === '' ? [required(`${field}.${key}`)] : []),
    ...validateMode(source.defaultMode, `${field}.defaultMode`),
    ...validateItems(source, field),
  ];

function validateHostPath(source: ReadJson, field: string): readonly FieldError[] {
  const path = textAt(source, 'path');
  if (path === '') return [required(`${field}.path`)];
  const errors = [...noBacksteps(path, `${field}.path`)];
  const type = source.type;
  if (given(type) && !hostPathTypes.includes(String(type))) {
    errors.push(notSupported(`${field}.type`, type, hostPathTypes));
  }
  return errors;
}

function validateProjected(source: ReadJson, field: string): readonly FieldError[] {
  const errors = [...validateMode(source.defaultMode, `${field}.defaultMode`)];
  objectsAt(source, 'sources').forEach((part, i) => {
    const path = `${field}.sources[${i}]`;
    for (const key of ['secret', 'configMap']) {
      const projection = objectAt(part, key);
      if (projection) errors.push(...named('name')(projection, `${path}.${key}`));
    }
    const token = objectAt(part, 'serviceAccountToken');
    if (!token) return;
    const seconds = Number(token.expirationSeconds);
    if (seconds < 600) {
      const text = 'may not specify a duration less than 10 minutes';
      errors.push(invalidValue(`${path}.serviceAccountToken.expirationSeconds`, token.expirationSeconds, text));
    }
    if (textAt(token, 'path') === '') errors.push(required(`${field}.path`));
  });
  return errors;
}

/** Sources with rules of their own; the schema is enough for the others. */
const sourceRules: Readonly<Record<string, SourceRule>> = {
  secret: named('secretName'),
  configMap: named('name'),
  persistentVolumeClaim: (source, field) =>
    textAt(source, 'claimName') === '' ? [required(`${field}.claimName`)] : [],
  hostPath: validateHostPath,
  projected: validateProjected,
  nfs: (source, field) =>
    ['server', 'path'].filter((key) => textAt(source, key) === '').map((key) => required(`${field}.${key}`)),
  csi: (source, field) => (textAt(source, 'driver') === '' ? [required(`${field}.driver`)] : []),
  ephemeral: (source, field) => {
    const template = objectAt(source, 'volumeClaimTemplate');
    if (!template) return [required(`${field}.volumeClaimTemplate`)];
    return validateClaimSpec(objectAt(template, 'spec') ?? {}, `${field}.volumeClaimTemplate.spec`);
  },
};

function validateSource(volume: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const present = Object.keys(volume).filter((key) => key !== 'name' && given(volume[key]));
  present.forEach((key, i) => {
    if (i > 0) errors.push(forbiddenField(`${field}.${key}`, 'may not specify more than 1 volume type'));
    else errors.push(...(sourceRules[key]?.(objectAt(volume, key) ?? {}, `${field}.${key}`) ?? []));
  });
  if (present.length === 0) errors.push(required(field, 'must specify a volume type'));
  return errors;
}

/** Volumes of a pod. Answers the errors and the good volumes by name, which mounts may use. */
export function validateVolumes(
  spec: ReadJson,
  field: string,
): { readonly errors: readonly FieldError[]; readonly volumes: ReadonlyMap<string, ReadJson> } {
  const errors: FieldError[] = [];
  const volumes = new Map<string, ReadJson>();
  objectsAt(spec, 'volumes').forEach((volume, i) => {
    const path = `${field}[${i}]`;
    const name = textAt(volume, 'name');
    const own = [...validateSource(volume, path), ...requiredName(name, `${path}.name`, dnsLabel)];
    if (volumes.has(name)) own.push(duplicate(`${path}.name`, name));
    if (own.length === 0) volumes.set(name, volume);
    errors.push(...own);
  });
  return { errors, volumes };
}

/** Mounts of a container against the pod's volumes. */
export function validateMounts(
  container: ReadJson,
  volumes: ReadonlyMap<string, ReadJson>,
  field: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const points = new Set<string>();
  objectsAt(container, 'volumeMounts').forEach((mount, i) => {
    const path = `${field}[${i}]`;
    const name = textAt(mount, 'name');
    const point = textAt(mount, 'mountPath');
    if (name === '') errors.push(required(`${path}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${path}.name`, name));
    if (point === '') errors.push(required(`${path}.mountPath`));
    if (points.has(point)) errors.push(invalidValue(`${path}.mountPath`, point, 'must be unique'));
    points.add(point);
    const subPath = textAt(mount, 'subPath');
    const subPathExpr = textAt(mount, 'subPathExpr');
    if (subPath !== '') errors.push(...descendingPath(subPath, `${field}.subPath`));
    if (subPathExpr === '') return;
    if (subPath !== '') {
      errors.push(invalidValue(`${path}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
    }
    errors.push(...descendingPath(subPathExpr, `${field}.subPathExpr`));
  });
  return errors;
}
