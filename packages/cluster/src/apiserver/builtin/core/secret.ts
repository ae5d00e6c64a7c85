import type { MutableJson } from '@coxswain/k8s';
import { badRequest } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fillZero, isObject, mapAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, required, tooLong } from '../shared/errors.ts';
import { unchanged } from '../shared/values.ts';
import { maxPayload, validateImmutable, validateKeys } from './config-map.ts';

const serviceAccountAnnotation = 'kubernetes.io/service-account.name';

function defaultSecret(draft: MutableJson): void {
  refuseBadBase64(draft);
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

/** Bytes travel as base64, so a secret that is not cannot even be decoded. */
function refuseBadBase64(draft: MutableJson): void {
  for (const value of Object.values(mapAt(draft, 'data'))) {
    const fault = base64Fault(value);
    if (fault === undefined) continue;
    const text = `illegal base64 data at input byte ${fault}`;
    throw badRequest(`Secret in version "v1" cannot be handled as a Secret: ${text}`);
  }
}

/** Where a text stops being base64; `undefined` when it is. */
function base64Fault(text: string): number | undefined {
  const bare = text.replace(/[\r\n]/g, '');
  if (bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return undefined;
  const end = bare.search(/[^A-Za-z0-9+/]/);
  return end < 0 ? bare.length - (bare.length % 4) : end;
}

/** What Go's reader says of a text that is no JSON object. */
function jsonFault(text: string): string | undefined {
  const first = text.trimStart()[0];
  if (first === undefined) return 'unexpected end of JSON input';
  if (!/[[{"\d\-tfn]/.test(first)) return `invalid character '${first}' looking for beginning of value`;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) || value === null) return undefined;
    const kind = Array.isArray(value)
      ? 'array'
      : { string: 'string', number: 'number', boolean: 'bool' }[typeof value as string];
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    return 'unexpected end of JSON input';
  }
}

function validateJsonKey(data: Readonly<Record<string, string>>, key: string): readonly FieldError[] {
  const value = data[key];
  if (value === undefined) return [required(`data[${key}]`)];
  const fault = jsonFault(Buffer.from(value, 'base64').toString('utf8'));
  return fault === undefined ? [] : [invalidValue(`data[${key}]`, '<secret contents redacted>', fault)];
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
  const errors = [...validateKeys(objectAt(object, 'data'), 'data')];
  const values = Object.values(mapAt(object, 'data'));
  const total = values.reduce((sum, value) => sum + Math.floor((value.length * 3) / 4), 0);
  if (total > maxPayload) errors.push(tooLong('data', maxPayload));
  return [...errors, ...validateType(object)];
}

export const secretStrategy: Strategy = {
  default: defaultSecret,
  prepareUpdate(draft, old) {
    if (textAt(draft, 'type') === '') draft.type = old.type;
  },
  validateCreate: validateSecret,
  validateUpdate: (object, old) => [
    ...unchanged(object.type, old.type, 'type'),
    ...validateImmutable(object, old, ['data']),
    ...validateSecret(object),
  ],
};
