import type { FieldError } from '@coxswain/schema';
import { given, listAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { containersOf } from './containers-of.ts';

const windowsText = 'cannot be set for a windows pod';
const linuxText = 'windows options cannot be set for a linux pod';

const podOnlyLinux = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];
const containerOnlyLinux = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

function present(context: ReadJson | undefined, keys: readonly string[], field: string): readonly FieldError[] {
  return keys
    .filter((key) => given(context?.[key]) && !(key === 'sysctls' && listAt(context, key).length === 0))
    .map((key) => forbiddenField(`${field}.${key}`, windowsText));
}

function validateWindowsPod(spec: ReadJson, field: string): readonly FieldError[] {
  const errors = [...present(objectAt(spec, 'securityContext'), podOnlyLinux, `${field}.securityContext`)];
  const flags = ['hostPID', 'hostIPC'].filter((key) => spec[key] === true);
  const keys = [...(given(spec.hostUsers) ? ['hostUsers'] : []), ...flags];
  if (given(spec.shareProcessNamespace)) keys.push('shareProcessNamespace');
  errors.push(...keys.map((key) => forbiddenField(`${field}.${key}`, windowsText)));
  for (const { container, field: own } of containersOf(spec, field)) {
    errors.push(...present(objectAt(container, 'securityContext'), containerOnlyLinux, `${own}.securityContext`));
  }
  return errors;
}

function validateLinuxPod(spec: ReadJson, field: string): readonly FieldError[] {
  const whole = [{ container: spec, field }, ...containersOf(spec, field)];
  return whole
    .filter(({ container }) => objectAt(objectAt(container, 'securityContext'), 'windowsOptions'))
    .map(({ field: own }) => forbiddenField(`${own}.securityContext.windowsOptions`, linuxText));
}

/** The operating system of a pod, and what only the other one knows. */
export function validateSystem(spec: ReadJson, field: string): readonly FieldError[] {
  const system = objectAt(spec, 'os');
  if (!system) return [];
  const name = textAt(system, 'name');
  if (name === '') return [required(`${field}.os.name`)];
  if (name === 'linux') return validateLinuxPod(spec, field);
  if (name === 'windows') return validateWindowsPod(spec, field);
  return [notSupported(`${field}.os`, name, ['linux', 'windows'])];
}

function hostProcessOf(owner: ReadJson): unknown {
  return objectAt(objectAt(owner, 'securityContext'), 'windowsOptions')?.hostProcess;
}

/** Containers that run as processes of the node: all or none, and with the node's network. */
export function validateHostProcess(spec: ReadJson, field: string): readonly FieldError[] {
  const pod = hostProcessOf(spec);
  const errors: FieldError[] = [];
  const containers = containersOf(spec, field);
  let count = 0;
  for (const { container, field: own } of containers) {
    const value = hostProcessOf(container);
    if (given(pod) && given(value) && pod !== value) {
      const text = `pod hostProcess value must be identical if both are specified, was ${String(pod)}`;
      errors.push(invalidValue(`${own}.securityContext.windowsOptions.hostProcess`, value, text));
    }
    if ((given(value) ? value : pod) === true) count++;
  }
  if (count === 0) return errors;
  if (count !== containers.length) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidValue(field, '', text));
  }
  if (spec.hostNetwork === true) return errors;
  const text = 'hostNetwork must be true if pod contains any hostProcess containers';
  return [...errors, invalidValue(`${field}.hostNetwork`, false, text)];
}

/** What a pod with users of its own may not share with its node. */
export function validateOwnUsers(spec: ReadJson, field: string): readonly FieldError[] {
  if (spec.hostUsers !== false) return [];
  const text = 'when `hostUsers` is false';
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((key) => spec[key] === true);
  const names: Readonly<Record<string, string>> = { hostPID: 'HostPID', hostIPC: 'HostIPC' };
  return [
    ...shared.map((key) => forbiddenField(`${field}.${names[key] ?? key}`, text)),
    ...containersOf(spec, field)
      .filter(({ container }) => listAt(container, 'volumeDevices').length > 0)
      .map(({ field: own }) => forbiddenField(`${own}.volumeDevices`, text)),
  ];
}
