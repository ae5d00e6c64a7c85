import type { FieldError } from '@coxswain/schema';
import { numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { addressFamily, validateAddress } from '../shared/ip.ts';
import { dnsSubdomain, qualifiedName } from '../shared/names.ts';
import { formatErrors, unchanged } from '../shared/values.ts';

const ownConditions = ['PodScheduled', 'Ready', 'Initialized'];
const generationText = 'must be a non-negative integer';

function validateConditions(status: ReadJson): readonly FieldError[] {
  return objectsAt(status, 'conditions').flatMap((condition, i) => {
    const field = `status.conditions[${i}]`;
    const seen = numberAt(condition, 'observedGeneration') ?? 0;
    const errors = seen < 0 ? [invalidValue(`${field}.observedGeneration`, seen, generationText)] : [];
    const type = textAt(condition, 'type');
    if (ownConditions.includes(type)) return errors;
    return [...errors, ...formatErrors(type, `${field}.Type`, qualifiedName)];
  });
}

function validateNomination(status: ReadJson, old: ReadJson): readonly FieldError[] {
  const name = textAt(status, 'nominatedNodeName');
  const field = 'status.nominatedNodeName';
  if (name === '' || name === textAt(objectAt(old, 'status'), 'nominatedNodeName')) return [];
  const errors = [...formatErrors(name, field, dnsSubdomain)];
  if (textAt(objectAt(old, 'spec'), 'nodeName') === '') return errors;
  return [...errors, forbiddenField(field, 'may not be set on pods that are already bound to a node')];
}

/** A list of addresses of which one is also told alone: at most one of each family. */
function validateAddresses(status: ReadJson, old: ReadJson, key: string): readonly FieldError[] {
  const field = `status.${key}`;
  const addresses = objectsAt(status, key).map((entry) => textAt(entry, 'ip'));
  const known = objectsAt(objectAt(old, 'status'), key).map((entry) => textAt(entry, 'ip'));
  const errors = addresses.flatMap((ip, i) => (known.includes(ip) ? [] : validateAddress(ip, `${field}[${i}]`)));
  const families = new Set(addresses.map(addressFamily));
  if (addresses.length > 1 && (families.size < 2 || addresses.length > 2)) {
    const shown = goValue(status[key], '[]core.PodIP');
    errors.push(invalidValue(field, shown, 'may specify no more than one IP for each IP family'));
  }
  return errors;
}

/** Whether one of a container's own rules is about an exit code. */
function hasRuleFor(container: ReadJson | undefined, exitCode: number): boolean {
  return objectsAt(container, 'restartPolicyRules').some((rule) => {
    const codes = objectAt(rule, 'exitCodes');
    const listed = Array.isArray(codes?.values) && codes.values.includes(exitCode);
    return codes !== undefined && (textAt(codes, 'operator') === 'NotIn' ? !listed : listed);
  });
}

function mayRestart(container: ReadJson | undefined, podPolicy: string, exitCode: number): boolean {
  const own = textAt(container, 'restartPolicy');
  if (own && hasRuleFor(container, exitCode)) return true;
  const policy = own || podPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function validateTransitions(status: ReadJson, old: ReadJson, key: string): readonly FieldError[] {
  const spec = objectAt(old, 'spec');
  const policy = textAt(spec, 'restartPolicy');
  const entries = objectsAt(status, key);
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  // A rule that restarts everything lets every container begin again.
  const everything = containers.some((container) =>
    objectsAt(container, 'restartPolicyRules').some((rule) => textAt(rule, 'action') === 'RestartAllContainers'),
  );
  if (everything) return [];
  return objectsAt(objectAt(old, 'status'), key).flatMap((before, i) => {
    const terminated = objectAt(objectAt(before, 'state'), 'terminated');
    const next = entries.find((entry) => entry.name === before.name);
    if (!terminated || !next || objectAt(objectAt(next, 'state'), 'terminated')) return [];
    const container = containers.find(({ name }) => name === before.name);
    if (mayRestart(container, policy, numberAt(terminated, 'exitCode') ?? 0)) return [];
    return [forbiddenField(`status.${key}[${i}].state`, 'may not be transitioned to non-terminated state')];
  });
}

/** What a write of a pod's status may not say. */
export function validatePodStatus(object: ReadJson, old: ReadJson): readonly FieldError[] {
  const status = objectAt(object, 'status') ?? {};
  const seen = numberAt(status, 'observedGeneration') ?? 0;
  return [
    ...validateConditions(status),
    ...validateNomination(status, old),
    ...(seen < 0 ? [invalidValue('status.observedGeneration', seen, generationText)] : []),
    ...unchanged(textAt(status, 'qosClass'), textAt(objectAt(old, 'status'), 'qosClass'), 'status.qosClass'),
    ...validateTransitions(status, old, 'containerStatuses'),
    ...validateTransitions(status, old, 'initContainerStatuses'),
    ...validateAddresses(status, old, 'podIPs'),
    ...validateAddresses(status, old, 'hostIPs'),
  ];
}
