import type { FieldError } from '@coxswain/schema';
import { given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { configMapKey, dnsLabel, dnsSubdomain, envVarName, portName, portNumber } from '../shared/names.ts';
import { formatErrors, requiredName } from '../shared/values.ts';
import { noBacksteps } from './paths.ts';
import { validateDevices, validateMounts } from './validate-mounts.ts';
import { probeKinds, validateHooksAndProbes } from './validate-probe.ts';
import { fieldsForVariables, validateFieldRef, validateResourceRef } from './validate-references.ts';
import { validateResources } from './validate-resources.ts';
import { validateContainerSecurity } from './validate-security.ts';

/** What the containers of one pod share. */
export interface PodScope {
  readonly volumes: ReadonlyMap<string, ReadJson>;
  /** Names of the pod's resource claims. */
  readonly claims: readonly string[];
  readonly restartPolicy: string;
  /** Whether the pod shares the users of its node. */
  readonly hostUsers: boolean;
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

/** A key of a file of variables, in a volume. */
function validateFileKey(source: ReadJson, field: string): readonly FieldError[] {
  const path = textAt(source, 'path');
  return [
    ...requiredName(textAt(source, 'key'), `${field}.key`, envVarName),
    ...requiredName(textAt(source, 'volumeName'), `${field}.volumeName`, dnsLabel),
    ...(path === '' ? [required(`${field}.path`)] : noBacksteps(path, `${field}.path`)),
  ];
}

const envSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function validateValueFrom(variable: ReadJson, field: string): readonly FieldError[] {
  const source = objectAt(variable, 'valueFrom');
  if (!source) return [];
  const errors: FieldError[] = [];
  const present = envSources.filter((key) => given(source[key]));
  const { fieldRef, resourceFieldRef, fileKeyRef } = source as Record<string, ReadJson | undefined>;
  if (fieldRef) errors.push(...validateFieldRef(fieldRef, fieldsForVariables, `${field}.fieldRef`));
  if (resourceFieldRef) errors.push(...validateResourceRef(resourceFieldRef, false, `${field}.resourceFieldRef`));
  for (const key of ['configMapKeyRef', 'secretKeyRef']) {
    const ref = objectAt(source, key);
    if (ref) errors.push(...validateKeyRef(ref, `${field}.${key}`));
  }
  if (fileKeyRef) errors.push(...validateFileKey(fileKeyRef, `${field}.fileKeyRef`));
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

function validateEnvFrom(container: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(container, 'envFrom').flatMap((source, i) => {
    const prefix = textAt(source, 'prefix');
    const refs = ['configMapRef', 'secretRef'].filter((key) => objectAt(source, key));
    const errors = prefix === '' ? [] : [...formatErrors(prefix, `${field}[${i}].prefix`, envVarName)];
    for (const key of refs) {
      // A prefix of a name would do, so a dash at the end is let pass.
      const name = textAt(objectAt(source, key), 'name');
      const own = `${field}[${i}].${key}.name`;
      if (name === '') errors.push(required(own));
      else errors.push(...dnsSubdomain(name.replace(/-$/, 'a')).map((text) => invalidValue(own, name, text)));
    }
    if (refs.length === 0) errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (refs.length > 1)
      errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}

const resizable = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

function validateResize(container: ReadJson, restartPolicy: string, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(container, 'resizePolicy').flatMap((entry, i) => {
    const name = textAt(entry, 'resourceName');
    const policy = textAt(entry, 'restartPolicy');
    const errors: FieldError[] = seen.has(name) ? [duplicate(`${field}[${i}]`, name)] : [];
    seen.add(name);
    if (name === '') errors.push(required(field));
    else if (!resizable.includes(name)) errors.push(notSupported(field, name, resizable));
    if (policy === '') errors.push(required(field));
    else if (!resizePolicies.includes(policy)) errors.push(notSupported(field, policy, resizePolicies));
    if (restartPolicy === 'Never' && policy !== 'NotRequired') {
      errors.push(invalidValue(field, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}

const containerPolicies = ['Always', 'Never', 'OnFailure'];

/** The restart policy of a container of its own, and the exit codes it depends on. */
function validateRestart(container: ReadJson, field: string): readonly FieldError[] {
  const policy = container.restartPolicy;
  const rules = objectsAt(container, 'restartPolicyRules');
  const own = `${field}.restartPolicy`;
  const errors: FieldError[] = [];
  if (!given(policy)) {
    if (rules.length === 0) return errors;
    errors.push(required(own, 'must specify restartPolicy when restart rules are used'));
  } else if (!containerPolicies.includes(String(policy))) errors.push(notSupported(own, policy, containerPolicies));
  rules.forEach((rule, i) => {
    const path = `${field}.restartPolicyRules[${i}]`;
    const actions = ['Restart', 'RestartAllContainers'];
    if (!actions.includes(textAt(rule, 'action')))
      errors.push(notSupported(`${path}.action`, textAt(rule, 'action'), actions));
    const codes = objectAt(rule, 'exitCodes');
    if (!codes) errors.push(required(`${path}.exitCodes`, 'must be specified'));
    else if (!['In', 'NotIn'].includes(textAt(codes, 'operator'))) {
      errors.push(notSupported(`${path}.exitCodes.operator`, textAt(codes, 'operator'), ['In', 'NotIn']));
    }
  });
  return errors;
}

/** Ports of the node that two containers would take. */
function validateHostPorts(containers: readonly ReadJson[], field: string): readonly FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, i) =>
    objectsAt(container, 'ports').flatMap((port, j) => {
      if (!port.hostPort) return [];
      const key = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${String(port.hostPort)}`;
      if (taken.has(key)) return [duplicate(`${field}[${i}].ports[${j}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
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
    ...validateEnvFrom(container, `${field}.envFrom`),
    ...validateMounts(container, scope.volumes, `${field}.volumeMounts`),
    ...validateDevices(container, scope.volumes, `${field}.volumeDevices`),
  );
  const pull = textAt(container, 'imagePullPolicy');
  if (!pullPolicies.includes(pull)) errors.push(notSupported(`${field}.imagePullPolicy`, pull, pullPolicies));
  errors.push(
    ...validateResources(objectAt(container, 'resources'), scope.claims, `${field}.resources`),
    ...validateResize(container, scope.restartPolicy, `${field}.resizePolicy`),
    ...validateContainerSecurity(container, scope.hostUsers, `${field}.securityContext`),
  );
  return errors;
}

/** `containers`: at least one, with names of their own. */
export function validateContainers(spec: ReadJson, scope: PodScope, field: string): readonly FieldError[] {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [required(field)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, i) => {
    const path = `${field}[${i}]`;
    const own = [...validateCommon(container, scope, path)];
    const name = textAt(container, 'name');
    if (names.has(name)) own.push(duplicate(`${path}.name`, name));
    names.add(name);
    own.push(...validateHooksAndProbes(container, scope.gracePeriod, path), ...validateRestart(container, path));
    return own;
  });
  return [...errors, ...validateHostPorts(containers, field)];
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
    const errors = [...validateCommon(container, scope, path), ...validateRestart(container, path)];
    const name = textAt(container, 'name');
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    if (name !== '') names.add(name);
    errors.push(...validateHostPorts([container], field));
    const sidecar = container.restartPolicy === 'Always';
    errors.push(
      ...(sidecar ? validateHooksAndProbes(container, scope.gracePeriod, path) : onlyForSidecars(container, path)),
    );
    objectsAt(container, 'resizePolicy').forEach(({ restartPolicy }, j) => {
      if (sidecar || restartPolicy !== 'RestartContainer') return;
      const text = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      errors.push(invalidValue(`${path}.resizePolicy[${j}].restartPolicy`, restartPolicy, text));
    });
    return errors;
  });
}
