import type { FieldError } from '@coxswain/schema';
import { given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { configMapKey, dnsLabel, dnsSubdomain, envVarName, portName, portNumber } from '../shared/names.ts';
import { formatErrors, requiredName } from '../shared/values.ts';
import { probeKinds, validateHooksAndProbes } from './validate-probe.ts';
import { validateResources } from './validate-resources.ts';
import { validateMounts } from './validate-volume.ts';

/** What the containers of one pod share. */
export interface PodScope {
  readonly volumes: ReadonlyMap<string, ReadJson>;
  /** Seconds. */
  readonly gracePeriod: number;
}

function validatePorts(container: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  objectsAt(container, 'ports').forEach((port, i) => {
    const path = `${field}[${i}]`;
    const name = textAt(port, 'name');
    if (name !== '') {
      const bad = formatErrors(name, `${path}.name`, portName);
      if (bad.length === 0 && names.has(name)) errors.push(duplicate(`${path}.name`, name));
      errors.push(...bad);
      names.add(name);
    }
    const number = Number(port.containerPort ?? 0);
    if (number === 0) errors.push(required(`${path}.containerPort`));
    else errors.push(...portNumber(number).map((text) => invalidValue(`${path}.containerPort`, number, text)));
    const host = Number(port.hostPort ?? 0);
    if (host !== 0) errors.push(...portNumber(host).map((text) => invalidValue(`${path}.hostPort`, host, text)));
    const protocol = textAt(port, 'protocol');
    if (protocol === '') errors.push(required(`${path}.protocol`));
    else if (!['TCP', 'UDP', 'SCTP'].includes(protocol)) {
      errors.push(notSupported(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    }
  });
  return errors;
}

function validateKeyRef(source: ReadJson, field: string): readonly FieldError[] {
  const errors = [...formatErrors(textAt(source, 'name'), `${field}.name`, dnsSubdomain)];
  errors.push(...requiredName(textAt(source, 'key'), `${field}.key`, configMapKey));
  return errors;
}

const envSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function validateValueFrom(variable: ReadJson, field: string): readonly FieldError[] {
  const source = objectAt(variable, 'valueFrom');
  if (!source) return [];
  const errors: FieldError[] = [];
  const present = envSources.filter((key) => given(source[key]));
  for (const key of ['configMapKeyRef', 'secretKeyRef']) {
    const ref = objectAt(source, key);
    if (ref) errors.push(...validateKeyRef(ref, `${field}.${key}`));
  }
  const fieldPath = objectAt(source, 'fieldRef');
  if (fieldPath && textAt(fieldPath, 'fieldPath') === '') errors.push(required(`${field}.fieldRef.fieldPath`));
  if (present.length === 0) {
    const text =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalidValue(field, '', text));
  } else if (textAt(variable, 'value') !== '') {
    errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'));
  } else if (present.length > 1) {
    errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function validateEnv(container: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(container, 'env').flatMap((variable, i) => [
    ...requiredName(textAt(variable, 'name'), `${field}[${i}].name`, envVarName),
    ...validateValueFrom(variable, `${field}[${i}].valueFrom`),
  ]);
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies = ['File', 'FallbackToLogsOnError'];

function validateCommon(container: ReadJson, scope: PodScope, field: string): readonly FieldError[] {
  const errors = [...requiredName(textAt(container, 'name'), `${field}.name`, dnsLabel)];
  if (textAt(container, 'image') === '') errors.push(required(`${field}.image`));
  const messages = textAt(container, 'terminationMessagePolicy');
  if (!messagePolicies.includes(messages)) {
    errors.push(notSupported(`${field}.terminationMessagePolicy`, messages, messagePolicies));
  }
  errors.push(
    ...validatePorts(container, `${field}.ports`),
    ...validateEnv(container, `${field}.env`),
    ...validateMounts(container, scope.volumes, `${field}.volumeMounts`),
  );
  const pull = textAt(container, 'imagePullPolicy');
  if (!pullPolicies.includes(pull)) errors.push(notSupported(`${field}.imagePullPolicy`, pull, pullPolicies));
  errors.push(...validateResources(objectAt(container, 'resources'), `${field}.resources`));
  return errors;
}

/** `containers`: at least one, with names of their own. */
export function validateContainers(spec: ReadJson, scope: PodScope, field: string): readonly FieldError[] {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [required(field)];
  const names = new Set<string>();
  return containers.flatMap((container, i) => {
    const path = `${field}[${i}]`;
    const errors = [...validateCommon(container, scope, path)];
    const name = textAt(container, 'name');
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    errors.push(...validateHooksAndProbes(container, scope.gracePeriod, path));
    return errors;
  });
}

function onlyForSidecars(container: ReadJson, field: string): readonly FieldError[] {
  return ['lifecycle', ...probeKinds]
    .filter((key) => given(container[key]))
    .map((key) => forbiddenField(`${field}.${key}`, 'may not be set for init containers without restartPolicy=Always'));
}

/** `initContainers`: names distinct from all others; hooks and probes only for those that keep running. */
export function validateInitContainers(spec: ReadJson, scope: PodScope, field: string): readonly FieldError[] {
  const names = new Set(objectsAt(spec, 'containers').map((container) => textAt(container, 'name')));
  return objectsAt(spec, 'initContainers').flatMap((container, i) => {
    const path = `${field}[${i}]`;
    const errors = [...validateCommon(container, scope, path)];
    const name = textAt(container, 'name');
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    if (name !== '') names.add(name);
    const sidecar = container.restartPolicy === 'Always';
    errors.push(
      ...(sidecar ? validateHooksAndProbes(container, scope.gracePeriod, path) : onlyForSidecars(container, path)),
    );
    return errors;
  });
}
