import type { FieldError } from '@coxswain/schema';
import { isKubernetesSigner } from '../certificates/signer-name.ts';
import { given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { dnsSubdomain } from '../shared/names.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { localPath } from './paths.ts';
import { validateFileSource } from './validate-references.ts';

const modeText = 'must be a number between 0 and 0777 (octal), both inclusive';

export function validateMode(value: unknown, field: string): readonly FieldError[] {
  return typeof value === 'number' && (value < 0 || value > 0o777) ? [invalidValue(field, value, modeText)] : [];
}

/** `items` of a Secret or ConfigMap: which keys become which files. */
export function validateItems(source: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(source, 'items').flatMap((item, i) => {
    const path = `${field}.items[${i}]`;
    return [
      ...(textAt(item, 'key') === '' ? [required(`${path}.key`)] : []),
      ...(textAt(item, 'path') === '' ? [required(`${path}.path`)] : []),
      ...localPath(textAt(item, 'path'), `${path}.path`),
      ...validateMode(item.mode, `${path}.mode`),
    ];
  });
}

/** One file of a downward API volume. */
export function validateDownwardFile(file: ReadJson, field: string): readonly FieldError[] {
  const path = textAt(file, 'path');
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...localPath(path, `${field}.path`),
    ...validateFileSource(file, field),
    ...validateMode(file.mode, `${field}.mode`),
  ];
}

function validateToken(token: ReadJson, field: string, volume: string): readonly FieldError[] {
  const seconds = Number(token.expirationSeconds);
  const errors: FieldError[] = [];
  const own = `${field}.expirationSeconds`;
  if (seconds < 600) errors.push(invalidValue(own, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32) errors.push(invalidValue(own, seconds, 'may not specify a duration larger than 2^32 seconds'));
  const path = textAt(token, 'path');
  return [...errors, ...(path === '' ? [required(`${volume}.path`)] : localPath(path, `${volume}.path`))];
}

function validateTrustBundle(bundle: ReadJson, field: string): readonly FieldError[] {
  const { name, signerName } = bundle;
  const errors: FieldError[] = [];
  if (given(name) && given(signerName)) {
    const shown = goValue(bundle, 'core.ClusterTrustBundleProjection');
    errors.push(invalidValue(field, shown, 'only one of name and signerName may be used'));
  } else if (given(name)) {
    const text = String(name);
    if (text === '') errors.push(required(`${field}.name`, 'must be a valid object name'));
    for (const why of dnsSubdomain(text.slice(text.lastIndexOf(':') + 1))) {
      errors.push(invalidValue(`${field}.name`, text, `not a valid clustertrustbundlename: ${why}`));
    }
  } else if (given(signerName)) {
    if (signerName === '') errors.push(required(`${field}.signerName`, 'must be a valid signer name'));
    errors.push(...validateLabelSelector(objectAt(bundle, 'labelSelector'), `${field}.labelSelector`));
  } else errors.push(required(field, 'either name or signerName must be specified'));
  const path = textAt(bundle, 'path');
  return [...errors, ...(path === '' ? [required(`${field}.path`)] : localPath(path, `${field}.path`))];
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const certificatePaths = ['credentialBundlePath', 'keyPath', 'certificateChainPath'];

function validateCertificate(certificate: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const keyType = textAt(certificate, 'keyType');
  if (!keyTypes.includes(keyType)) errors.push(notSupported(`${field}.keyType`, keyType, keyTypes));
  const seconds = certificate.maxExpirationSeconds;
  if (typeof seconds === 'number') {
    const longest = (isKubernetesSigner(textAt(certificate, 'signerName')) ? 1 : 91) * 24 * 60 * 60;
    const wrong = seconds < 3600 ? '>= 3600' : seconds > longest ? `<= ${longest}` : undefined;
    const text = `if provided, maxExpirationSeconds must be ${wrong}`;
    if (wrong) errors.push(invalidValue(`${field}.maxExpirationSeconds`, seconds, text));
  }
  const used = certificatePaths.filter((key) => textAt(certificate, key) !== '');
  for (const key of used) errors.push(...localPath(textAt(certificate, key), `${field}.${key}`));
  if (used.length === 0) {
    const text = 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath';
    errors.push(required(field, text));
  }
  return errors;
}

/** The files a projection makes, and what a conflict about them calls it. */
function filesOf(kind: string, projection: ReadJson): readonly (readonly [path: string, shown: string])[] {
  if (kind === 'secret' || kind === 'configMap') {
    return objectsAt(projection, 'items').map((item) => [textAt(item, 'path'), textAt(projection, 'name')]);
  }
  const keys = kind === 'podCertificate' ? certificatePaths : kind === 'clusterTrustBundle' ? ['path'] : [];
  const paths =
    kind === 'downwardAPI'
      ? objectsAt(projection, 'items').map((item) => textAt(item, 'path'))
      : keys.map((key) => textAt(projection, key));
  return paths.map((path) => [path, path]);
}

type Projection = (projection: ReadJson, field: string, volume: string) => readonly FieldError[];

const named: Projection = (projection, field) => [
  ...(textAt(projection, 'name') === '' ? [required(`${field}.name`)] : []),
  ...validateItems(projection, field),
];

const projections: Readonly<Record<string, Projection>> = {
  secret: named,
  configMap: named,
  downwardAPI: (projection, field) =>
    objectsAt(projection, 'items').flatMap((file) => validateDownwardFile(file, field)),
  serviceAccountToken: validateToken,
  clusterTrustBundle: validateTrustBundle,
  podCertificate: validateCertificate,
};

/** A projected volume: several sources in one folder, without two files of the same path. */
export function validateProjected(source: ReadJson, field: string): readonly FieldError[] {
  const errors = [...validateMode(source.defaultMode, `${field}.defaultMode`)];
  const taken = new Set<string>();
  objectsAt(source, 'sources').forEach((part, i) => {
    const path = `${field}.sources[${i}]`;
    const present = Object.keys(projections).filter((key) => objectAt(part, key));
    for (const key of present) {
      const projection = objectAt(part, key) ?? {};
      errors.push(...(projections[key]?.(projection, `${path}.${key}`, field) ?? []));
      for (const [file, shown] of filesOf(key, projection)) {
        if (file !== '' && taken.has(file)) errors.push(invalidValue(field, shown, 'conflicting duplicate paths'));
        taken.add(file);
      }
    }
    if (present.length > 1) errors.push(forbiddenField(path, 'may not specify more than 1 volume type per source'));
  });
  return errors;
}
