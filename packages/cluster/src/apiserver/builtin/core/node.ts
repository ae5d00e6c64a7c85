import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  listAt,
  mapAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { badRangeText, isRange, rangeOf } from '../shared/ip.ts';
import { labelValue, qualifiedName } from '../shared/names.ts';
import { validateResourceAmount } from '../shared/quantities.ts';
import { formatErrors } from '../shared/values.ts';

const infoFields = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
  'operatingSystem',
  'architecture',
];

/** `podCIDR` is the first of `podCIDRs`. */
function mirrorRanges(spec: MutableJson): void {
  const one = textAt(spec, 'podCIDR');
  const many = listAt(spec, 'podCIDRs');
  if (one === '' && many.length > 0) spec.podCIDR = many[0];
  else if (one !== '' && many[0] !== one) spec.podCIDRs = [one];
}

function defaultNode(draft: MutableJson): void {
  mirrorRanges(ensureObject(draft, 'spec'));
  const status = ensureObject(draft, 'status');
  if (objectAt(status, 'capacity') && Object.keys(objectAt(status, 'allocatable') ?? {}).length === 0) {
    status.allocatable = status.capacity;
  }
  const daemon = ensureObject(ensureObject(status, 'daemonEndpoints'), 'kubeletEndpoint');
  fill(daemon, 'Port', 0);
  const info = ensureObject(status, 'nodeInfo');
  for (const key of infoFields) fill(info, key, '');
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints(spec: ReadJson): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'taints').flatMap((taint, i) => {
    const field = `metadata.taints[${i}]`;
    const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
    const errors = [...formatErrors(key, `${field}.key`, qualifiedName)];
    const faults = labelValue(value);
    if (faults.length > 0) errors.push(invalidValue(`${field}.value`, value, faults.join(';')));
    if (effect === '') errors.push(required(`${field}.effect`));
    else if (!effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects));
    const pair = `${effect} ${key}`;
    if (seen.has(pair)) {
      const { message, ...error } = duplicate(field, goValue(taint, 'core.Taint'));
      errors.push({ ...error, message: `${message}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
    return errors;
  });
}

function validateRanges(spec: ReadJson): readonly FieldError[] {
  const ranges = listAt(spec, 'podCIDRs').map(String);
  const field = 'spec.podCIDRs';
  const errors = ranges.flatMap((range, i) => {
    const own = `${field}[${i}]`;
    if (!isRange(range)) return [invalidValue(own, range, badRangeText)];
    return rangeOf(range).exact ? [] : [invalidValue(own, range, 'must not have bits set beyond the prefix length')];
  });
  if (ranges.length < 2 || !ranges.every(isRange)) return errors;
  const families = new Set(ranges.map((range) => rangeOf(range).family));
  if (ranges.length === 2 && families.size === 2) return errors;
  return [...errors, invalidValue(field, ranges, 'may specify no more than one CIDR for each IP family')];
}

/** Amounts of a node, on every write of it or of its status. */
export function validateNodeAmounts(node: ReadJson): readonly FieldError[] {
  const status = objectAt(node, 'status');
  return ['capacity', 'allocatable'].flatMap((key) =>
    Object.entries(objectAt(status, key) ?? {}).flatMap(([name, value]) =>
      validateResourceAmount(name, value, `status.${key}.${name}`),
    ),
  );
}

const avoidPods = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

function validateAnnotations(node: ReadJson): readonly FieldError[] {
  const text = mapAt(objectAt(node, 'metadata'), 'annotations')[avoidPods] ?? '';
  const [first = ''] = text.trimStart();
  if (text === '' || /[[{"\d\-tfn]/.test(first)) return [];
  const fault = `invalid character '${first}' looking for beginning of value`;
  return [invalidValue('metadata.annotations.AvoidPods', avoidPods, fault)];
}

function validateNode(node: ReadJson): readonly FieldError[] {
  const spec = objectAt(node, 'spec') ?? {};
  return [...validateAnnotations(node), ...validateTaints(spec), ...validateNodeAmounts(node), ...validateRanges(spec)];
}

function validateNodeUpdate(node: ReadJson, old: ReadJson): readonly FieldError[] {
  const [spec, before] = [objectAt(node, 'spec'), objectAt(old, 'spec')];
  const errors: FieldError[] = [];
  if (listAt(before, 'podCIDRs').length > 0 && !sameJson(listAt(spec, 'podCIDRs'), listAt(before, 'podCIDRs'))) {
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if (textAt(spec, 'externalID') !== textAt(before, 'externalID')) {
    errors.push(forbiddenField('spec.externalID', 'may not be updated'));
  }
  const [provider, oldProvider] = [textAt(spec, 'providerID'), textAt(before, 'providerID')];
  if (oldProvider !== '' && provider !== oldProvider) {
    const what = provider === '' ? 'cleared' : 'modified';
    errors.push(invalidValue('spec.providerID', null, `field cannot be ${what} once set`));
  }
  return errors;
}

export const nodeStrategy: Strategy = {
  createsStatus: true,
  default: defaultNode,
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
};
