import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { validateStrictAddress } from '../core/endpoint-address.ts';
import { ensureObject, given, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { addressFamily } from '../shared/ip.ts';
import { dnsSubdomain, wildcardSubdomain } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';
import { validateBackend } from './backend.ts';

const classAnnotation = 'kubernetes.io/ingress.class';
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const badSequences = ['//', '/./', '/../', '%2f', '%2F'];
const badEnds = ['/..', '/.'];

const validateHost = (host: string, field: string): readonly FieldError[] =>
  formatErrors(host, field, host.includes('*') ? wildcardSubdomain : dnsSubdomain);

function validatePathText(text: string, type: unknown, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const free = type === 'ImplementationSpecific';
  if (!text.startsWith('/') && !(free && text === '')) {
    errors.push(invalidValue(field, text, 'must be an absolute path'));
  }
  if (free) return errors;
  for (const part of badSequences)
    if (text.includes(part)) errors.push(invalidValue(field, text, `must not contain '${part}'`));
  for (const end of badEnds) if (text.endsWith(end)) errors.push(invalidValue(field, text, `cannot end with '${end}'`));
  return errors;
}

function validatePath(path: ReadJson, field: string): readonly FieldError[] {
  const type = path.pathType;
  if (!given(type)) return [required(`${field}.pathType`, 'pathType must be specified')];
  return [
    ...(pathTypes.includes(String(type))
      ? validatePathText(textAt(path, 'path'), type, `${field}.path`)
      : [notSupported(`${field}.pathType`, type, pathTypes)]),
    ...validateBackend(objectAt(path, 'backend'), `${field}.backend`),
  ];
}

function validateRule(rule: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const host = textAt(rule, 'host');
  if (host !== '') {
    if (addressFamily(host) !== 0)
      errors.push(invalidValue(`${field}.host`, host, 'must be a DNS name, not an IP address'));
    errors.push(...validateHost(host, `${field}.host`));
  }
  const http = objectAt(rule, 'http');
  if (!http) return errors;
  const paths = objectsAt(http, 'paths');
  if (paths.length === 0) errors.push(required(`${field}.http.paths`));
  return [...errors, ...paths.flatMap((path, i) => validatePath(path, `${field}.http.paths[${i}]`))];
}

function validateTls(tls: ReadJson, field: string): readonly FieldError[] {
  const secret = textAt(tls, 'secretName');
  return [
    ...listAt(tls, 'hosts').flatMap((host, i) => validateHost(String(host), `${field}.hosts[${i}]`)),
    ...(secret === '' ? [] : formatErrors(secret, `${field}.secretName`, dnsSubdomain)),
  ];
}

function validateIngress(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec');
  const rules = objectsAt(spec, 'rules');
  const fallback = objectAt(spec, 'defaultBackend');
  const errors: FieldError[] = [];
  if (rules.length === 0 && !fallback) {
    errors.push(invalidValue('spec', spec?.rules, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (fallback) errors.push(...validateBackend(fallback, 'spec.defaultBackend'));
  errors.push(...rules.flatMap((rule, i) => validateRule(rule, `spec.rules[${i}]`)));
  errors.push(...objectsAt(spec, 'tls').flatMap((tls, i) => validateTls(tls, `spec.tls[${i}]`)));
  if (given(spec?.ingressClassName)) {
    errors.push(...formatErrors(textAt(spec, 'ingressClassName'), 'spec.ingressClassName', dnsSubdomain));
  }
  return errors;
}

export const ingressStrategy: Strategy = {
  default(draft) {
    ensureObject(draft, 'spec');
    ensureObject(ensureObject(draft, 'status'), 'loadBalancer');
  },
  warnings(object, old) {
    if (old || !(classAnnotation in (object.metadata.annotations ?? {}))) return [];
    return [`annotation ${JSON.stringify(classAnnotation)} is deprecated, please use 'spec.ingressClassName' instead`];
  },
  validate: (object, { subresource }) => (subresource === '' ? validateIngress(object) : []),
  validateCreate(object) {
    const annotation = object.metadata.annotations?.[classAnnotation];
    const name = objectAt(object, 'spec')?.ingressClassName;
    if (annotation === undefined || !given(name) || annotation === name) return [];
    const text = 'must match `ingressClassName` when both are specified';
    return [invalidValue(`annotations.${classAnnotation}`, annotation, text)];
  },
};

/** Addresses a controller gives an ingress. */
export function validateIngressStatus(object: ReadJson): readonly FieldError[] {
  const entries = objectsAt(objectAt(objectAt(object, 'status'), 'loadBalancer'), 'ingress');
  return entries.flatMap((entry, i) => validateBalancerPlace(entry, `status.loadBalancer.ingress[${i}]`));
}

/** An address or host name of a load balancer. */
export function validateBalancerPlace(entry: ReadJson, field: string): readonly FieldError[] {
  const [ip, host] = [textAt(entry, 'ip'), textAt(entry, 'hostname')];
  const errors: FieldError[] = [];
  if (ip !== '') errors.push(...validateStrictAddress(ip, `${field}.ip`));
  if (host === '') return errors;
  errors.push(...formatErrors(host, `${field}.hostname`, dnsSubdomain));
  if (addressFamily(host) !== 0) {
    errors.push(invalidValue(`${field}.hostname`, host, 'must be a DNS name, not an IP address'));
  }
  return errors;
}
