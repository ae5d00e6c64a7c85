import { compareQuantities, parseQuantity } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { qualifiedName } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';

/** Fields of a pod that variables may take their value from. */
export const fieldsForVariables = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Fields of a pod that files may take their content from. */
export const fieldsForFiles = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Every field the server can read for anyone. */
const readable = new Set([
  ...fieldsForVariables,
  ...fieldsForFiles,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'status.nominatedNodeName',
  'spec.hostname',
  'spec.subdomain',
  'spec.host',
]);

function conversionFault(version: string, path: string, subscripted: string | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (subscripted !== undefined) {
    return ['metadata.annotations', 'metadata.labels'].includes(subscripted)
      ? undefined
      : `field label does not support subscript: ${path}`;
  }
  return readable.has(path) ? undefined : `field label not supported: ${path}`;
}

/** A `fieldRef`; `allowed` are the paths that may be used here, in order. */
export function validateFieldRef(ref: ReadJson, allowed: readonly string[], field: string): readonly FieldError[] {
  const version = textAt(ref, 'apiVersion');
  const path = textAt(ref, 'fieldPath');
  if (version === '') return [required(`${field}.apiVersion`)];
  if (path === '') return [required(`${field}.fieldPath`)];
  const [, owner, key = ''] = /^(.*)\['(.*)'\]$/.exec(path) ?? [];
  const fault = conversionFault(version, path, owner);
  if (fault !== undefined) return [invalidValue(`${field}.fieldPath`, path, `error converting fieldPath: ${fault}`)];
  if (owner !== undefined)
    return formatErrors(owner === 'metadata.annotations' ? key.toLowerCase() : key, field, qualifiedName);
  return allowed.includes(path) ? [] : [notSupported(`${field}.fieldPath`, path, allowed)];
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const sizes = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function validateDivisor(resource: string, divisor: unknown, field: string): readonly FieldError[] {
  if (typeof divisor !== 'string' || compareQuantities(parseQuantity(divisor), parseQuantity('0')) === 0) return [];
  const name = resource.replace(/^(limits|requests)\./, '');
  if (name === 'cpu') {
    if (['1m', '1'].includes(divisor)) return [];
    return [invalidValue(field, resource, "only divisor's values 1m and 1 are supported with the cpu resource")];
  }
  const kinds: Readonly<Record<string, string>> = { memory: 'memory', 'ephemeral-storage': 'local ephemeral storage' };
  const kind = kinds[name] ?? (name.startsWith('hugepages-') ? 'hugepages' : undefined);
  if (kind === undefined || sizes.includes(divisor)) return [];
  const text = `only divisor's values ${sizes.join(', ')} are supported with the ${kind} resource`;
  return [invalidValue(field, resource, text)];
}

/** A `resourceFieldRef`. In a volume it must say of which container. */
export function validateResourceRef(ref: ReadJson, inVolume: boolean, field: string): readonly FieldError[] {
  const resource = textAt(ref, 'resource');
  const errors: FieldError[] = [];
  if (inVolume && textAt(ref, 'containerName') === '') errors.push(required(`${field}.containerName`));
  else if (resource === '') errors.push(required(`${field}.resource`));
  else if (!resources.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    errors.push(notSupported(`${field}.resource`, resource, resources));
  }
  return [...errors, ...validateDivisor(resource, ref.divisor, `${field}.divisor`)];
}

/** `fieldRef` and `resourceFieldRef` of a file: exactly one. */
export function validateFileSource(file: ReadJson, field: string): readonly FieldError[] {
  const fieldRef = objectAt(file, 'fieldRef');
  const resourceRef = objectAt(file, 'resourceFieldRef');
  if (fieldRef) {
    const errors = [...validateFieldRef(fieldRef, fieldsForFiles, `${field}.fieldRef`)];
    if (resourceRef) {
      errors.push(invalidValue(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
    return errors;
  }
  if (resourceRef) return validateResourceRef(resourceRef, true, `${field}.resourceFieldRef`);
  return [required(field, 'one of fieldRef and resourceFieldRef is required')];
}
