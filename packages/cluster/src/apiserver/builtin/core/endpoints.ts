import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { fillZero, given, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain, portNumber, qualifiedName } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';
import { type EndpointAddressRules, validateEndpointAddress, validateStrictAddress } from './endpoint-address.ts';

export const protocols = ['SCTP', 'TCP', 'UDP'];

function validateAddress(address: ReadJson, field: string, rules: EndpointAddressRules): readonly FieldError[] {
  const ip = textAt(address, 'ip');
  const hostname = textAt(address, 'hostname');
  return [
    ...validateStrictAddress(ip, `${field}.ip`),
    ...(hostname === '' ? [] : formatErrors(hostname, `${field}.hostname`, dnsLabel)),
    ...(given(address.nodeName) ? formatErrors(textAt(address, 'nodeName'), `${field}.nodeName`, dnsSubdomain) : []),
    ...validateEndpointAddress(ip, `${field}.ip`, rules),
  ];
}

function validatePort(port: ReadJson, nameNeeded: boolean, field: string): readonly FieldError[] {
  const name = textAt(port, 'name');
  const number = Number(port.port ?? 0);
  const protocol = textAt(port, 'protocol');
  const errors: FieldError[] = [];
  if (name !== '') errors.push(...formatErrors(name, `${field}.name`, dnsLabel));
  else if (nameNeeded) errors.push(required(`${field}.name`));
  errors.push(...portNumber(number).map((text) => invalidValue(`${field}.port`, number, text)));
  if (protocol === '') errors.push(required(`${field}.protocol`));
  else if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols));
  if (!given(port.appProtocol)) return errors;
  return [...errors, ...formatErrors(textAt(port, 'appProtocol'), `${field}.appProtocol`, qualifiedName)];
}

function validateSubset(subset: ReadJson, field: string, rules: EndpointAddressRules): readonly FieldError[] {
  const kinds = ['addresses', 'notReadyAddresses'];
  const ports = objectsAt(subset, 'ports');
  const addresses = kinds.flatMap((key) =>
    objectsAt(subset, key).map((address, i) => ({ address, field: `${field}.${key}[${i}]` })),
  );
  return [
    ...(addresses.length === 0 ? [required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...addresses.flatMap(({ address, field: own }) => validateAddress(address, own, rules)),
    ...ports.flatMap((port, i) => validatePort(port, ports.length > 1, `${field}.ports[${i}]`)),
  ];
}

export const endpointsStrategy = (rules: EndpointAddressRules): Strategy => ({
  default(draft) {
    for (const subset of objectsAt(draft, 'subsets')) {
      for (const port of objectsAt(subset, 'ports')) fillZero(port, 'protocol', 'TCP');
    }
  },
  validate: (object) =>
    objectsAt(object, 'subsets').flatMap((subset, i) => validateSubset(subset, `subsets[${i}]`, rules)),
});
