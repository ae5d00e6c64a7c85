import type { FieldError } from '@coxswain/schema';
import { given, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, invalidValue, notSupported, required, tooLong } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { dnsSubdomain, rangeText } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';
import { descendingPath } from './paths.ts';

const highestId = 2147483647;

function validateId(value: unknown, field: string): readonly FieldError[] {
  if (typeof value !== 'number' || (value >= 0 && value <= highestId)) return [];
  return [invalidValue(field, value, rangeText(0, highestId))];
}

/** One of a few words, when given. */
function oneOf(value: unknown, field: string, words: readonly string[]): readonly FieldError[] {
  return !given(value) || words.includes(String(value)) ? [] : [notSupported(field, value, words)];
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(profile: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!profile) return [];
  const type = textAt(profile, 'type');
  const own = `${field}.localhostProfile`;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'));
  else errors.push(...oneOf(type, `${field}.type`, profileTypes));
  const { localhostProfile } = profile;
  if (type === 'Localhost') {
    if (!given(localhostProfile)) errors.push(required(own, 'must be set when seccomp type is Localhost'));
    else errors.push(...descendingPath(String(localhostProfile), own));
  } else if (given(localhostProfile)) {
    const shown = goValue(profile, 'core.SeccompProfile');
    errors.push(invalidValue(own, shown, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
}

function validateLocalArmor(value: unknown, field: string): readonly FieldError[] {
  const text = 'must be set when AppArmor type is Localhost';
  if (!given(value)) return [required(field, text)];
  const profile = String(value);
  const errors: FieldError[] = [];
  if (profile.trim() !== profile) errors.push(invalidValue(field, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(required(field, text));
  return profile.length > 4095 ? [...errors, tooLong(field, 4095)] : errors;
}

function validateArmor(profile: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!profile) return [];
  const type = textAt(profile, 'type');
  const own = `${field}.localhostProfile`;
  if (type === 'Localhost') return validateLocalArmor(profile.localhostProfile, own);
  if (type === '') return [required(`${field}.type`, 'type is required when appArmorProfile is set')];
  if (!profileTypes.includes(type)) return [notSupported(`${field}.type`, type, profileTypes)];
  if (!given(profile.localhostProfile)) return [];
  return [invalidValue(own, profile.localhostProfile, 'can only be set when AppArmor type is Localhost')];
}

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const domainLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const domainName = new RegExp(`^${domainLabel}(?:\\.${domainLabel})*$`);

/** What is wrong with `[DOMAIN\]USER`. */
function userNameFaults(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const faults: string[] = [];
  if ((domain ?? '').length >= 256) faults.push("runAsUserName's Domain length must be under 256 characters");
  if (domain !== undefined && !netBios.test(domain) && !domainName.test(domain)) {
    faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') faults.push("runAsUserName's User cannot be empty");
  if (user.length > 104) faults.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) faults.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    faults.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return faults;
}

const longestCredential = 64 * 1024;

function validateWindows(options: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!options) return [];
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  const errors: FieldError[] = [];
  if (given(gmsaCredentialSpecName)) {
    errors.push(...formatErrors(String(gmsaCredentialSpecName), `${field}.gmsaCredentialSpecName`, dnsSubdomain));
  }
  if (given(gmsaCredentialSpec)) {
    const text = String(gmsaCredentialSpec);
    const own = `${field}.gmsaCredentialSpec`;
    if (text === '') errors.push(invalidValue(own, text, 'gmsaCredentialSpec cannot be an empty string'));
    else if (text.length > longestCredential) {
      errors.push(invalidValue(own, text, 'gmsaCredentialSpec size must be under 64 KiB'));
    }
  }
  if (!given(runAsUserName)) return errors;
  return [...errors, ...formatErrors(String(runAsUserName), `${field}.runAsUserName`, userNameFaults)];
}

/** What is the same in the contexts of pods and of containers. */
function validateProfiles(context: ReadJson, field: string): readonly FieldError[] {
  return [
    ...validateWindows(objectAt(context, 'windowsOptions'), `${field}.windowsOptions`),
    ...validateArmor(objectAt(context, 'appArmorProfile'), `${field}.appArmorProfile`),
  ];
}

function validateEscalation(context: ReadJson, field: string): readonly FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const refuse = (what: string) =>
    invalidValue(
      field,
      goValue(context, 'core.SecurityContext'),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  return [
    ...(context.privileged === true ? [refuse('`privileged` to true')] : []),
    ...listAt(objectAt(context, 'capabilities'), 'add')
      .filter((capability) => capability === 'CAP_SYS_ADMIN')
      .map(() => refuse('`capabilities.Add` CAP_SYS_ADMIN')),
  ];
}

/** The security context of a container. `hostUsers`: whether the pod shares the users of its node. */
export function validateContainerSecurity(
  container: ReadJson,
  hostUsers: boolean,
  field: string,
): readonly FieldError[] {
  const context = objectAt(container, 'securityContext');
  if (!context) return [];
  const { procMount } = context;
  const errors = [
    ...validateId(context.runAsUser, `${field}.runAsUser`),
    ...validateId(context.runAsGroup, `${field}.runAsGroup`),
    ...oneOf(procMount, `${field}.procMount`, ['Default', 'Unmasked']),
  ];
  if (hostUsers && procMount === 'Unmasked') {
    errors.push(invalidValue(`${field}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'));
  }
  errors.push(...validateSeccomp(objectAt(context, 'seccompProfile'), `${field}.seccompProfile`));
  return [...errors, ...validateEscalation(context, field), ...validateProfiles(context, field)];
}

const sysctlPattern = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const sysctlName = new RegExp(sysctlPattern);

/** Which of the node's settings a pod that shares them may not change. */
function hostSysctl(name: string, spec: ReadJson, field: string): readonly FieldError[] {
  const plain = name.replaceAll('/', '.');
  const isIpc = plain.startsWith('fs.mqueue.') || /^kernel\.(sem|shm|msg)/.test(plain);
  if (spec.hostNetwork === true && plain.startsWith('net.')) {
    return [invalidValue(field, name, "may not be specified when 'hostNetwork' is true")];
  }
  if (spec.hostIPC !== true || !isIpc) return [];
  return [invalidValue(field, name, "may not be specified when 'hostIPC' is true")];
}

function validateSysctls(context: ReadJson, spec: ReadJson, field: string): readonly FieldError[] {
  const names = new Set<string>();
  return objectsAt(context, 'sysctls').flatMap((sysctl, i) => {
    const own = `${field}[${i}].name`;
    const name = textAt(sysctl, 'name');
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(own));
    else if (name.length > 253 || !sysctlName.test(name)) {
      errors.push(invalidValue(own, name, `must have at most 253 characters and match regex ${sysctlPattern}`));
    } else if (names.has(name)) errors.push(duplicate(own, name));
    names.add(name);
    return [...errors, ...hostSysctl(name, spec, own)];
  });
}

/** The security context of a pod. */
export function validatePodSecurity(spec: ReadJson, field: string): readonly FieldError[] {
  const context = objectAt(spec, 'securityContext');
  if (!context) return [];
  const ids = ['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((key) => validateId(context[key], `${field}.${key}`));
  const groups = listAt(context, 'supplementalGroups').flatMap((group, i) =>
    validateId(group, `${field}.supplementalGroups[${i}]`),
  );
  return [
    ...ids,
    ...groups,
    ...validateSysctls(context, spec, `${field}.sysctls`),
    ...oneOf(context.fsGroupChangePolicy, `${field}.fsGroupChangePolicy`, ['Always', 'OnRootMismatch']),
    ...validateSeccomp(objectAt(context, 'seccompProfile'), `${field}.seccompProfile`),
    ...validateProfiles(context, field),
    ...oneOf(context.supplementalGroupsPolicy, `${field}.supplementalGroupsPolicy`, ['Merge', 'Strict']),
    ...oneOf(context.seLinuxChangePolicy, `${field}.seLinuxChangePolicy`, ['MountOption', 'Recursive']),
  ];
}

/** What a pod that shares the processes of its node may not say. */
export function validateSharedProcesses(spec: ReadJson, field: string): readonly FieldError[] {
  if (spec.shareProcessNamespace !== true || spec.hostPID !== true) return [];
  const text = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [invalidValue(`${field}.shareProcessNamespace`, true, text)];
}
