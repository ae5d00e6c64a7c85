import type { FieldError } from '@coxswain/schema';
import { given, mapAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
  tooLong,
} from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { dnsLabel, dnsSubdomain, qualifiedName, rangeText } from '../shared/names.ts';
import { validateResourceAmount } from '../shared/quantities.ts';
import { validateLabels } from '../shared/selectors.ts';
import { formatErrors } from '../shared/values.ts';
import { containersOf } from './containers-of.ts';
import { validateAffinity } from './validate-affinity.ts';
import { type PodScope, validateContainers, validateInitContainers } from './validate-container.ts';
import { validateDnsConfig, validateHostAliases } from './validate-dns.ts';
import { validateHostProcess, validateOwnUsers, validateSystem } from './validate-platform.ts';
import { validateContainerResourceName, validatePodResources } from './validate-resources.ts';
import { validatePodSecurity, validateSharedProcesses } from './validate-security.ts';
import { validateSpread } from './validate-spread.ts';
import { validateTolerations } from './validate-toleration.ts';
import { type PodMetadata, validateVolumes } from './validate-volume.ts';

const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];
const restartPolicies = ['Always', 'OnFailure', 'Never'];

function oneOf(value: string, field: string, supported: readonly string[]): readonly FieldError[] {
  if (value === '') return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

const nameRules: Readonly<Record<string, (value: string) => readonly string[]>> = {
  serviceAccountName: dnsSubdomain,
  nodeName: dnsSubdomain,
  hostname: dnsLabel,
  subdomain: dnsLabel,
  priorityClassName: dnsSubdomain,
  runtimeClassName: dnsSubdomain,
};

function validateNames(spec: ReadJson, keys: readonly string[], field: string): readonly FieldError[] {
  return keys.flatMap((key) => {
    const value = textAt(spec, key);
    return value === '' ? [] : formatErrors(value, `${field}.${key}`, nameRules[key] ?? dnsSubdomain);
  });
}

function validateGates(spec: ReadJson, field: string): readonly FieldError[] {
  const readiness = objectsAt(spec, 'readinessGates').flatMap((gate, i) =>
    formatErrors(textAt(gate, 'conditionType'), `${field}.readinessGates[${i}].conditionType`, qualifiedName),
  );
  const names = new Set<string>();
  const scheduling = objectsAt(spec, 'schedulingGates').flatMap((gate, i) => {
    const name = textAt(gate, 'name');
    const own = `${field}.schedulingGates[${i}]`;
    const errors = [...formatErrors(name, own, qualifiedName)];
    if (names.has(name)) errors.push(duplicate(own, name));
    names.add(name);
    return errors;
  });
  return [...readiness, ...scheduling];
}

function validateClaims(spec: ReadJson, field: string): readonly FieldError[] {
  const names = new Set<string>();
  return objectsAt(spec, 'resourceClaims').flatMap((claim, i) => {
    const own = `${field}[${i}]`;
    const name = textAt(claim, 'name');
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${own}.name`));
    else if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
    else errors.push(...formatErrors(name, `${own}.name`, dnsLabel));
    names.add(name);
    const keys = ['resourceClaimName', 'resourceClaimTemplateName'].filter((key) => given(claim[key]));
    const shown = goValue(claim, 'core.PodResourceClaim');
    if (keys.length === 2) {
      const text = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      errors.push(invalidValue(own, shown, text));
    } else if (keys.length === 0) {
      errors.push(invalidValue(own, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    }
    return [...errors, ...keys.flatMap((key) => formatErrors(textAt(claim, key), `${own}.${key}`, dnsSubdomain))];
  });
}

/** With the node's network, the port of a container is that of the node. A template may leave the second to the pod. */
function validateHostNetwork(spec: ReadJson, isPod: boolean, field: string): readonly FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return objectsAt(spec, 'containers').flatMap((container, i) =>
    objectsAt(container, 'ports').flatMap((port, j) => {
      const own = Number(port.hostPort ?? 0);
      if ((!isPod && own === 0) || own === port.containerPort) return [];
      const text = 'must match `containerPort` when `hostNetwork` is true';
      return [invalidValue(`${field}.containers[${i}].ports[${j}].hostPort`, own, text)];
    }),
  );
}

function validateHostname(spec: ReadJson, field: string): readonly FieldError[] {
  const name = spec.hostnameOverride;
  if (!given(name)) return [];
  const own = `${field}.hostnameOverride`;
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN === true) {
    errors.push(forbiddenField(own, 'may not be specified when setHostnameAsFQDN is true'));
  }
  if (spec.hostNetwork === true) errors.push(forbiddenField(own, 'may not be specified when hostNetwork is true'));
  if (String(name).length > 64) errors.push(tooLong(own, 64));
  return [...errors, ...formatErrors(String(name), own, dnsSubdomain)];
}

/** Files of variables come from a volume of the pod that is an `emptyDir`. */
function validateFileVolumes(spec: ReadJson, field: string): readonly FieldError[] {
  const volumes = new Map(objectsAt(spec, 'volumes').map((volume) => [textAt(volume, 'name'), volume]));
  return containersOf(spec, field).flatMap(({ container, field: own }) =>
    objectsAt(container, 'env').flatMap((variable, i) => {
      const ref = objectAt(objectAt(variable, 'valueFrom'), 'fileKeyRef');
      if (!ref) return [];
      const name = textAt(ref, 'volumeName');
      const path = `${own}.env[${i}].valueFrom.fileKeyRef.volumeName`;
      if (!volumes.has(name)) return [notFoundValue(path, name)];
      return objectAt(volumes.get(name), 'emptyDir')
        ? []
        : [invalidValue(path, name, 'referenced volume must be of type emptyDir')];
    }),
  );
}

function validateDeadline(spec: ReadJson, field: string): readonly FieldError[] {
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline === undefined || (deadline >= 1 && deadline <= 2147483647)) return [];
  return [invalidValue(`${field}.activeDeadlineSeconds`, deadline, rangeText(1, 2147483647))];
}

/** Containers of all kinds with what they use. */
function validateParts(spec: ReadJson, field: string, pod: PodMetadata): readonly FieldError[] {
  const { errors, volumes } = validateVolumes(spec, `${field}.volumes`, pod);
  const claims = objectsAt(spec, 'resourceClaims')
    .map((claim) => textAt(claim, 'name'))
    .filter((name) => name !== '');
  const scope: PodScope = {
    volumes,
    claims,
    restartPolicy: textAt(spec, 'restartPolicy'),
    hostUsers: spec.hostUsers !== false,
    gracePeriod: numberAt(spec, 'terminationGracePeriodSeconds') ?? 30,
  };
  return [
    ...errors,
    ...validateClaims(spec, `${field}.resourceClaims`),
    ...validateContainers(spec, scope, `${field}.containers`),
    ...validateInitContainers(spec, scope, `${field}.initContainers`),
    ...validatePodResources(spec, claims, `${field}.resources`),
  ];
}

/**
 * The PodSpec of a pod or a template.
 * @param pod metadata of the pod; absent for a template
 */
export function validatePodSpec(spec: ReadJson, field: string, pod?: PodMetadata): readonly FieldError[] {
  const { preemptionPolicy } = spec;
  return [
    ...validateParts(spec, field, pod),
    ...validateHostNetwork(spec, pod !== undefined, field),
    ...oneOf(textAt(spec, 'restartPolicy'), `${field}.restartPolicy`, restartPolicies),
    ...oneOf(textAt(spec, 'dnsPolicy'), `${field}.dnsPolicy`, dnsPolicies),
    ...validateLabels(mapAt(spec, 'nodeSelector'), `${field}.nodeSelector`),
    ...validatePodSecurity(spec, `${field}.securityContext`),
    ...validateSharedProcesses(spec, field),
    ...validateAffinity(spec, `${field}.affinity`),
    ...validateDnsConfig(spec, `${field}.dnsConfig`),
    ...validateGates(spec, field),
    ...validateSpread(spec, `${field}.topologySpreadConstraints`),
    ...validateHostProcess(spec, field),
    ...validateOwnUsers(spec, field),
    ...validateHostname(spec, field),
    ...validateNames(spec, ['serviceAccountName', 'nodeName'], field),
    ...validateDeadline(spec, field),
    ...validateNames(spec, ['hostname', 'subdomain'], field),
    ...validateTolerations(spec, `${field}.tolerations`),
    ...validateHostAliases(spec, `${field}.hostAliases`),
    ...validateNames(spec, ['priorityClassName', 'runtimeClassName'], field),
    ...(given(preemptionPolicy)
      ? oneOf(String(preemptionPolicy), `${field}.preemptionPolicy`, preemptionPolicies)
      : []),
    ...validateOverhead(spec, `${field}.overhead`),
    ...validateSystem(spec, field),
    ...validateFileVolumes(spec, field),
  ];
}

/** What a pod takes beyond its containers. */
function validateOverhead(spec: ReadJson, field: string): readonly FieldError[] {
  return Object.entries(objectAt(spec, 'overhead') ?? {}).flatMap(([name, value]) => [
    ...validateContainerResourceName(name, `${field}.limits[${name}]`),
    ...validateResourceAmount(name, value, `${field}.limits[${name}]`),
  ]);
}
