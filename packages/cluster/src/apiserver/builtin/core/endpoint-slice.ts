import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  given,
  listAt,
  mapAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { duplicate, invalidValue, notSupported, required, tooMany } from '../shared/errors.ts';
import { addressFamily } from '../shared/ip.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';
import { type EndpointAddressRules, validateEndpointAddress, validateStrictAddress } from './endpoint-address.ts';
import { protocols } from './endpoints.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

function validateAddress(
  address: string,
  type: string,
  { field, list, rules }: { readonly field: string; readonly list: string; readonly rules: EndpointAddressRules },
): readonly FieldError[] {
  if (type === 'FQDN') {
    const plain = address.replace(/\.$/, '');
    const errors = [...formatErrors(plain, field, dnsSubdomain)];
    if (errors.length > 0 || plain.split('.').length >= 2) return errors;
    return [invalidValue(field, plain, 'should be a domain with at least two segments separated by dots')];
  }
  const family = { IPv4: 4, IPv6: 6 }[type];
  if (family === undefined) return [];
  const errors = validateStrictAddress(address, field);
  if (errors.length > 0) return errors;
  const wrong = addressFamily(address) !== family;
  return [
    ...(wrong ? [invalidValue(list, address, `must be an ${type} address`)] : []),
    ...validateEndpointAddress(address, field, rules),
  ];
}

function validateHintNames(
  hints: ReadJson | undefined,
  key: string,
  rule: (name: string) => readonly string[],
  field: string,
): readonly FieldError[] {
  const names = objectsAt(hints, key).map((hint) => textAt(hint, 'name'));
  if (names.length > 8) return [tooMany(`${field}.${key}`, names.length, 8)];
  return names.flatMap((name, i) => {
    const own = `${field}.${key}[${i}].name`;
    return [...(names.indexOf(name) < i ? [duplicate(own, name)] : []), ...formatErrors(name, own, rule)];
  });
}

function validateEndpoint(
  endpoint: ReadJson,
  type: string,
  field: string,
  rules: EndpointAddressRules,
): readonly FieldError[] {
  const list = `${field}.addresses`;
  const hints = objectAt(endpoint, 'hints');
  const optional = (key: string, rule: (value: string) => readonly string[]) =>
    given(endpoint[key]) ? formatErrors(textAt(endpoint, key), `${field}.${key}`, rule) : [];
  return [
    ...listAt(endpoint, 'addresses').flatMap((address, i) =>
      validateAddress(String(address), type, { field: `${list}[${i}]`, list, rules }),
    ),
    ...optional('nodeName', dnsSubdomain),
    ...optional('hostname', dnsLabel),
    ...validateHintNames(hints, 'forZones', labelValue, `${field}.hints`),
    ...validateHintNames(hints, 'forNodes', dnsSubdomain, `${field}.hints`),
  ];
}

function validatePorts(slice: ReadJson): readonly FieldError[] {
  const names = new Set<string>();
  return objectsAt(slice, 'ports').flatMap((port, i) => {
    const field = `ports[${i}]`;
    const name = textAt(port, 'name');
    const errors = name === '' ? [] : [...formatErrors(name, `${field}.name`, dnsLabel)];
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
    const protocol = textAt(port, 'protocol');
    if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols));
    if (!given(port.appProtocol)) return errors;
    return [...errors, ...formatErrors(textAt(port, 'appProtocol'), `${field}.appProtocol`, qualifiedName)];
  });
}

/** Counts of addresses and the type are told after all else. */
function validateRequired(slice: ReadJson): readonly FieldError[] {
  const type = textAt(slice, 'addressType');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required('addressType'));
  else if (!addressTypes.includes(type)) errors.push(notSupported('addressType', type, addressTypes));
  objectsAt(slice, 'endpoints').forEach((endpoint, i) => {
    const count = listAt(endpoint, 'addresses').length;
    const field = `endpoints[${i}].addresses`;
    if (count === 0) errors.push(required(field));
    else if (count > 100) errors.push(tooMany(field, count, 100));
  });
  return errors;
}

/** Endpoints that stay as they are need not be right. */
function validateSlice(slice: ReadJson, rules: EndpointAddressRules, old?: ReadJson): readonly FieldError[] {
  const type = textAt(slice, 'addressType');
  const endpoints = old && sameJson(slice.endpoints, old.endpoints) ? [] : objectsAt(slice, 'endpoints');
  return [
    ...validatePorts(slice),
    ...endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, type, `endpoints[${i}]`, rules)),
    ...validateRequired(slice),
  ];
}

function defaultSlice(draft: MutableJson): void {
  for (const port of objectsAt(draft, 'ports')) {
    fill(port, 'name', '');
    fill(port, 'protocol', 'TCP');
  }
  for (const key of ['endpoints', 'ports']) if (listAt(draft, key).length === 0) draft[key] = null;
  for (const endpoint of objectsAt(draft, 'endpoints')) ensureObject(endpoint, 'conditions');
}

/** A field of an older version, which this one does not take. */
function dropTopology(draft: MutableJson): void {
  for (const endpoint of objectsAt(draft, 'endpoints')) delete endpoint.deprecatedTopology;
}

/** Labels say which service a slice is of: a change of them counts as one of the slice. */
function countLabels(draft: MutableJson, old: ReadJson): void {
  const metadata = ensureObject(draft, 'metadata');
  const before = objectAt(old, 'metadata');
  if (sameJson(mapAt(metadata, 'labels'), mapAt(before, 'labels'))) return;
  metadata.generation = (numberAt(before, 'generation') ?? 0) + 1;
}

export const endpointSliceStrategy = (rules: EndpointAddressRules): Strategy => ({
  default: defaultSlice,
  prepareUpdate: countLabels,
  prepareCreate: dropTopology,
  validateCreate: (object) => validateSlice(object, rules),
  validateUpdate: (object, old) => [
    ...validateSlice(object, rules, old),
    ...(object.addressType === old.addressType ? [] : [invalidValue('addressType', null, 'field is immutable')]),
  ],
  warnings: ({ addressType }, old) =>
    addressType === 'FQDN' && !old ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
});
