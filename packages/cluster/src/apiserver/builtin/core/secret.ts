import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fillZero, mapAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, required, tooLong } from '../shared/errors.ts';
import { unchanged } from '../shared/values.ts';
import { maxPayload, validateImmutable, validateKeys } from './config-map.ts';

const serviceAccountAnnotation = 'kubernetes.io/service-account.name';

function defaultSecret(draft: MutableJson): void {
  fillZero(draft, 'type', 'Opaque');
  const plain = objectAt(draft, 'stringData');
  if (plain) {
    const data = ensureObject(draft, 'data');
    for (const [key, value] of Object.entries(plain)) {
      data[key] = typeof value === 'string' ? Buffer.from(value, 'utf8').toString('base64') : value;
    }
  }
  delete draft.stringData;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function validateJsonKey(data: Readonly<Record<string, string>>, key: string): readonly FieldError[] {
  const value = data[key];
  if (value === undefined) return [required(`data[${key}]`)];
  try {
    JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    return [];
  } catch {
    return [invalidValue(`data[${key}]`, '<secret contents redacted>', 'invalid character')];
  }
}

/** What each well-known type asks for. */
function validateType(secret: ReadJson): readonly FieldError[] {
  const data = mapAt(secret, 'data');
  const missing = (...keys: readonly string[]) => keys.filter((key) => data[key] === undefined);
  switch (textAt(secret, 'type')) {
    case 'kubernetes.io/service-account-token': {
      const annotations = mapAt(objectAt(secret, 'metadata'), 'annotations');
      const given = (annotations[serviceAccountAnnotation] ?? '') !== '';
      return given ? [] : [required(`metadata.annotations[${serviceAccountAnnotation}]`)];
    }
    case 'kubernetes.io/dockercfg':
      return validateJsonKey(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateJsonKey(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return missing('username', 'password').length === 2
        ? [required('data[username]'), required('data[password]')]
        : [];
    case 'kubernetes.io/ssh-auth':
      return (data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key').map((key) => required(`data[${key}]`));
    default:
      return [];
  }
}

function validateSecret(object: ReadJson): readonly FieldError[] {
  const data = mapAt(object, 'data');
  const errors = [...validateKeys(objectAt(object, 'data'), 'data')];
  let total = 0;
  for (const [key, value] of Object.entries(data)) {
    total += Math.floor((value.length * 3) / 4);
    if (!isBase64(value))
      errors.push(invalidValue(`data[${key}]`, '<secret contents redacted>', 'illegal base64 data'));
  }
  if (total > maxPayload) errors.push(tooLong('data', maxPayload));
  return [...errors, ...validateType(object)];
}

export const secretStrategy: Strategy = {
  default: defaultSecret,
  prepareUpdate(draft, old) {
    if (textAt(draft, 'type') === '') draft.type = old.type;
  },
  validate: validateSecret,
  validateUpdate: (object, old) => [
    ...unchanged(object.type, old.type, 'type'),
    ...validateImmutable(object, old, ['data']),
  ],
};
