import type { FieldError } from '@coxswain/schema';
import { given, numberAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain, pathSegment, portName, portNumber } from '../shared/names.ts';
import { formatErrors, requiredName } from '../shared/values.ts';

/** Reference to an object of the same namespace by group, kind and name. */
export function validateTypedReference(reference: ReadJson, field: string): readonly FieldError[] {
  return [
    ...(given(reference.apiGroup)
      ? formatErrors(textAt(reference, 'apiGroup'), `${field}.apiGroup`, dnsSubdomain)
      : []),
    ...requiredName(textAt(reference, 'kind'), `${field}.kind`, pathSegment),
    ...requiredName(textAt(reference, 'name'), `${field}.name`, pathSegment),
  ];
}

function validateServiceBackend(service: ReadJson, field: string): readonly FieldError[] {
  const port = objectAt(service, 'port');
  const name = textAt(port, 'name');
  const number = numberAt(port, 'number') ?? 0;
  const errors = [...requiredName(textAt(service, 'name'), `${field}.service.name`, dnsLabel)];
  if (name !== '' && number !== 0) errors.push(invalidValue(field, '', 'cannot set both port name & port number'));
  else if (name !== '') errors.push(...formatErrors(name, `${field}.service.port.name`, portName));
  else if (number !== 0) {
    errors.push(...portNumber(number).map((text) => invalidValue(`${field}.service.port.number`, number, text)));
  } else errors.push(required(field, 'port name or number is required'));
  return errors;
}

/** Where an ingress sends requests: to a service or to another object. */
export function validateBackend(backend: ReadJson | undefined, field: string): readonly FieldError[] {
  const service = objectAt(backend, 'service');
  const resource = objectAt(backend, 'resource');
  if (service && resource) return [invalidValue(field, '', 'cannot set both resource and service backends')];
  if (resource) return validateTypedReference(resource, `${field}.resource`);
  if (service) return validateServiceBackend(service, field);
  return [invalidValue(field, '', 'resource or service backend is required')];
}
