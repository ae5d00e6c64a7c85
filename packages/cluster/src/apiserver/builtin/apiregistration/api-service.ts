import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { dns1035Label, dnsSubdomain, pathSegment, portNumber } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';

function nameErrors(name: string, required: string): readonly FieldError[] {
  const segments = pathSegment(name);
  if (segments.length > 0) return segments.map((text) => invalidValue('metadata.name', name, text));
  if (name === '' || name === required) return [];
  const text = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(required)}`;
  return [invalidValue('metadata.name', name, text)];
}

function priorityErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const limits = { groupPriorityMinimum: 20_000, versionPriority: 1000 };
  return Object.entries(limits).flatMap(([key, most]) => {
    const value = numberAt(spec, key) ?? 0;
    if (value > 0 && value <= most) return [];
    return [invalidValue(`spec.${key}`, value, `must be positive and less than ${most}`)];
  });
}

/** A service of the API server itself has no certificate to check. */
function localErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const bundle = Buffer.from(textAt(spec, 'caBundle'), 'base64');
  const errors: FieldError[] = [];
  if (bundle.length > 0) {
    errors.push(invalidValue('spec.caBundle', `${bundle.length} bytes`, 'local APIServices may not have a caBundle'));
  }
  if (spec?.insecureSkipTLSVerify === true) {
    const text = 'local APIServices may not have insecureSkipTLSVerify';
    errors.push(invalidValue('spec.insecureSkipTLSVerify', true, text));
  }
  return errors;
}

function serviceErrors(spec: ReadJson | undefined, service: ReadJson): readonly FieldError[] {
  const errors: FieldError[] = ['namespace', 'name']
    .filter((key) => textAt(service, key) === '')
    .map((key) => required(`spec.service.${key}`));
  const port = numberAt(service, 'port') ?? 0;
  const texts = portNumber(port);
  if (texts.length > 0) errors.push(invalidValue('spec.service.port', port, `port is not valid: ${texts.join(', ')}`));
  if (spec?.insecureSkipTLSVerify === true && textAt(spec, 'caBundle') !== '') {
    errors.push(invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return errors;
}

/** What `/status` may not say. */
export function apiServiceStatus(object: ReadJson): readonly FieldError[] {
  const known = ['True', 'False', 'Unknown'];
  return objectsAt(objectAt(object, 'status'), 'conditions').flatMap(({ status }, i) =>
    known.includes(String(status)) ? [] : [notSupported(`status.conditions[${i}].status`, status, known)],
  );
}

export const apiServiceStrategy: Strategy = {
  validateName: () => [],
  default(draft) {
    const service = objectAt(ensureObject(draft, 'spec'), 'service');
    if (service) fill(service, 'port', 443);
    ensureObject(draft, 'status');
  },
  validate(object) {
    const spec = objectAt(object, 'spec');
    const [group, version] = [textAt(spec, 'group'), textAt(spec, 'version')];
    const errors = [...nameErrors(textAt(objectAt(object, 'metadata'), 'name'), `${version}.${group}`)];
    if (group === '' && version !== 'v1') {
      errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
    }
    if (group !== '') errors.push(...formatErrors(group, 'spec.group', dnsSubdomain));
    errors.push(...formatErrors(version, 'spec.version', dns1035Label), ...priorityErrors(spec));
    const service = objectAt(spec, 'service');
    return [...errors, ...(service ? serviceErrors(spec, service) : localErrors(spec))];
  },
};
