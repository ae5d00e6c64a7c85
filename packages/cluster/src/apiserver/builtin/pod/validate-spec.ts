import type { FieldError } from '@coxswain/schema';
import { given, listAt, mapAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain, qualifiedName, rangeText } from '../shared/names.ts';
import { validateLabels } from '../shared/selectors.ts';
import { formatErrors } from '../shared/values.ts';
import { validateContainers, validateInitContainers } from './validate-container.ts';
import { validateTolerations } from './validate-toleration.ts';
import { validateVolumes } from './validate-volume.ts';

const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const restartPolicies = ['Always', 'OnFailure', 'Never'];

function oneOf(value: string, field: string, supported: readonly string[]): readonly FieldError[] {
  if (value === '') return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

function validateNames(spec: ReadJson, field: string): readonly FieldError[] {
  const rules: readonly (readonly [string, (value: string) => readonly string[]])[] = [
    ['serviceAccountName', dnsSubdomain],
    ['nodeName', dnsSubdomain],
    ['hostname', dnsLabel],
    ['subdomain', dnsLabel],
    ['priorityClassName', dnsSubdomain],
    ['runtimeClassName', dnsSubdomain],
  ];
  return rules.flatMap(([key, rule]) => {
    const value = textAt(spec, key);
    return value === '' ? [] : formatErrors(value, `${field}.${key}`, rule);
  });
}

function validateGates(spec: ReadJson, field: string): readonly FieldError[] {
  const readiness = objectsAt(spec, 'readinessGates').flatMap((gate, i) =>
    formatErrors(textAt(gate, 'conditionType'), `${field}.readinessGates[${i}].conditionType`, qualifiedName),
  );
  const scheduling = objectsAt(spec, 'schedulingGates').flatMap((gate, i) =>
    formatErrors(textAt(gate, 'name'), `${field}.schedulingGates[${i}]`, qualifiedName),
  );
  return [...readiness, ...scheduling];
}

function validateSpread(spec: ReadJson, field: string): readonly FieldError[] {
  const modes = ['DoNotSchedule', 'ScheduleAnyway'];
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
    const path = `${field}[${i}]`;
    const errors: FieldError[] = [];
    const skew = numberAt(constraint, 'maxSkew') ?? 0;
    if (skew <= 0) errors.push(invalidValue(`${path}.maxSkew`, skew, 'must be greater than zero'));
    const key = textAt(constraint, 'topologyKey');
    if (key === '') errors.push(required(`${path}.topologyKey`, 'can not be empty'));
    else errors.push(...formatErrors(key, `${path}.topologyKey`, qualifiedName));
    const mode = textAt(constraint, 'whenUnsatisfiable');
    if (!modes.includes(mode)) errors.push(notSupported(`${path}.whenUnsatisfiable`, mode, modes));
    return errors;
  });
}

/** Who takes no DNS from the cluster must bring their own. */
function validateDnsNone(config: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!config) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  if (listAt(config, 'nameservers').length > 0) return [];
  return [required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
}

/** The PodSpec of a pod or a template. */
export function validatePodSpec(spec: ReadJson, field: string): readonly FieldError[] {
  const { errors: volumeErrors, volumes } = validateVolumes(spec, `${field}.volumes`);
  const scope = { volumes, gracePeriod: numberAt(spec, 'terminationGracePeriodSeconds') ?? 30 };
  const errors = [
    ...volumeErrors,
    ...validateContainers(spec, scope, `${field}.containers`),
    ...validateInitContainers(spec, scope, `${field}.initContainers`),
    ...oneOf(textAt(spec, 'restartPolicy'), `${field}.restartPolicy`, restartPolicies),
    ...oneOf(textAt(spec, 'dnsPolicy'), `${field}.dnsPolicy`, dnsPolicies),
    ...validateLabels(mapAt(spec, 'nodeSelector'), `${field}.nodeSelector`),
    ...validateGates(spec, field),
    ...validateSpread(spec, `${field}.topologySpreadConstraints`),
    ...validateNames(spec, field),
    ...validateTolerations(spec, `${field}.tolerations`),
  ];
  const deadline = spec.activeDeadlineSeconds;
  if (given(deadline) && (Number(deadline) < 1 || Number(deadline) > 2147483647)) {
    errors.push(invalidValue(`${field}.activeDeadlineSeconds`, deadline, rangeText(1, 2147483647)));
  }
  if (textAt(spec, 'dnsPolicy') === 'None')
    errors.push(...validateDnsNone(objectAt(spec, 'dnsConfig'), `${field}.dnsConfig`));
  return errors;
}
