import type { MutableJson } from '@coxswain/k8s';
import type { Clock } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, given, listAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, required, tooLong } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain } from '../shared/names.ts';
import { formatErrors, unchanged } from '../shared/values.ts';
import { asEntry, checkDriver, checkLabelName, checkList, checkPool, checkQualified, checkSet } from './lists.ts';
import { stampTaint } from './taint-rule.ts';
import { checkTaint } from './taints.ts';

const most = { devices: 128, advancedDevices: 64, counterSets: 8, counters: 32, consumptions: 2, taints: 16 };
const mostNames = 32;
const longestValue = 64;

const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

function checkNode(parent: ReadJson, path: string, empty: string): { errors: FieldError[]; set: string[] } {
  const errors: FieldError[] = [];
  const set: string[] = [];
  if (given(parent.nodeName)) {
    const node = textAt(parent, 'nodeName');
    if (node === '') errors.push(invalidValue(`${path}.nodeName`, node, empty));
    else {
      set.push('`nodeName`');
      errors.push(...formatErrors(node, `${path}.nodeName`, dnsSubdomain));
    }
  }
  if (objectAt(parent, 'nodeSelector')) set.push('`nodeSelector`');
  for (const key of ['allNodes', 'perDeviceNodeSelection']) {
    if (parent[key] === true) set.push(`\`${key}\``);
    else if (parent[key] === false) {
      errors.push(invalidValue(`${path}.${key}`, false, 'must be either unset or set to true'));
    }
  }
  return { errors, set };
}

function oneOf(set: readonly string[], path: string, text: string, several: string): readonly FieldError[] {
  if (set.length === 1) return [];
  return [set.length === 0 ? required(path, text) : invalidValue(path, `{${set.join(', ')}}`, several)];
}

function checkPlace(spec: ReadJson): readonly FieldError[] {
  const { errors, set } = checkNode(spec, 'spec', 'must be either unset or set to a non-empty string');
  const terms = objectsAt(objectAt(spec, 'nodeSelector'), 'nodeSelectorTerms');
  if (objectAt(spec, 'nodeSelector') && terms.length !== 1) {
    const text = 'must have exactly one node selector term';
    errors.push(invalidValue('spec.nodeSelector.nodeSelectorTerms', terms, text));
  }
  const text = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  errors.push(...oneOf(set, 'spec', text, `${text}, but multiple fields are set`));
  if (given(spec.sharedCounters) && given(spec.devices)) {
    errors.push(invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed'));
  }
  return errors;
}

function checkDevicePlace(device: ReadJson, field: string, perDevice: boolean): readonly FieldError[] {
  if (!perDevice) {
    if (!['nodeName', 'nodeSelector', 'allNodes'].some((key) => given(device[key]))) return [];
    const text =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    return [invalidValue(field, null, text)];
  }
  const { errors, set } = checkNode(device, field, 'must not be empty');
  const text =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [...errors, ...oneOf(set, field, text, text)];
}

function checkText(value: string, field: string, version: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (version && !semver.test(value)) {
    errors.push(invalidValue(field, value, 'must be a string compatible with semver.org spec 2.0.0'));
  }
  if (value.length > longestValue) errors.push(tooLong(field, longestValue));
  return errors;
}

const attributeKinds = ['int', 'bool', 'string', 'version', 'ints', 'bools', 'strings', 'versions'];

function checkAttribute(attribute: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const set = attributeKinds.filter((kind) => given(attribute[kind]));
  for (const kind of set) {
    const [value, own] = [attribute[kind], `${field}.${kind}`];
    const isVersion = kind.startsWith('version');
    if (typeof value === 'string') errors.push(...checkText(value, own, isVersion));
    if (!Array.isArray(value)) continue;
    if (value.length === 0) errors.push(invalidValue(own, value, 'must not be empty if specified'));
    value.forEach((one, i) => {
      if (typeof one === 'string') errors.push(...checkText(one, `${own}[${i}]`, isVersion));
    });
  }
  const all = attributeKinds.map((kind) => `\`${kind}\``).join(', ');
  if (set.length === 0) errors.push(invalidValue(field, '', `must specify one of: ${all}`));
  if (set.length > 1) errors.push(invalidValue(field, attribute, `must specify exactly one of: ${all}`));
  return errors;
}

function checkCounters(set: ReadJson, field: string, nameKey: string): readonly FieldError[] {
  const name = textAt(set, nameKey);
  const counters = Object.keys(objectAt(set, 'counters') ?? {});
  const errors = name === '' ? [required(`${field}.${nameKey}`)] : [...checkLabelName(name, `${field}.${nameKey}`)];
  if (counters.length === 0) errors.push(required(`${field}.counters`));
  return [...errors, ...counters.flatMap((key) => formatErrors(key, `${field}.counters`, dnsLabel))];
}

function checkDevice(device: ReadJson, field: string, perDevice: boolean): readonly FieldError[] {
  const attributes = objectAt(device, 'attributes') ?? {};
  const capacities = Object.keys(objectAt(device, 'capacity') ?? {});
  const names = Object.keys(attributes);
  const errors = [...checkLabelName(textAt(device, 'name'), `${field}.name`)];
  const count = names.length + capacities.length;
  if (count > mostNames) {
    const text = `the total number of attributes and capacities must not exceed ${mostNames}`;
    errors.push(invalidValue(field, count, text));
  }
  for (const name of names) {
    errors.push(...checkQualified(name, `${field}.attributes`));
    errors.push(...checkAttribute(asEntry(attributes[name]), `${field}.attributes[${name}]`));
  }
  for (const name of capacities) errors.push(...checkQualified(name, `${field}.capacity`));
  errors.push(
    ...checkList(device, 'taints', field, most.taints, (taint, own) => checkTaint(asEntry(taint), own)),
    ...checkSet(
      device,
      'consumesCounters',
      field,
      most.consumptions,
      (entry, own) => checkCounters(asEntry(entry), own, 'counterSet'),
      (entry) => textAt(asEntry(entry), 'counterSet'),
    ),
  );
  return [...errors, ...checkDevicePlace(device, field, perDevice)];
}

/** Slices with devices of the newer kinds are larger each, so they may have fewer. */
function mostDevices(spec: ReadJson): number {
  const advanced = objectsAt(spec, 'devices').some(
    (device) =>
      listAt(device, 'taints').length > 0 ||
      listAt(device, 'consumesCounters').length > 0 ||
      Object.values(objectAt(device, 'attributes') ?? {}).some((one) =>
        ['bools', 'ints', 'strings', 'versions'].some((key) => given(asEntry(one)[key])),
      ),
  );
  return advanced ? most.advancedDevices : most.devices;
}

function checkSpec(spec: ReadJson): readonly FieldError[] {
  const pool = objectAt(spec, 'pool');
  const errors = [
    ...checkDriver(textAt(spec, 'driver'), 'spec.driver'),
    ...checkPool(textAt(pool, 'name'), 'spec.pool.name'),
  ];
  const [slices, generation] = [numberAt(pool, 'resourceSliceCount') ?? 0, numberAt(pool, 'generation') ?? 0];
  if (slices <= 0) errors.push(invalidValue('spec.pool.resourceSliceCount', slices, 'must be greater than zero'));
  if (generation < 0) {
    errors.push(invalidValue('spec.pool.generation', generation, 'must be greater than or equal to zero'));
  }
  const perDevice = spec.perDeviceNodeSelection === true;
  const nameOf = (entry: unknown) => textAt(asEntry(entry), 'name');
  return [
    ...errors,
    ...checkPlace(spec),
    ...checkSet(
      spec,
      'devices',
      'spec',
      mostDevices(spec),
      (entry, own) => checkDevice(asEntry(entry), own, perDevice),
      nameOf,
    ),
    ...checkSet(
      spec,
      'sharedCounters',
      'spec',
      most.counterSets,
      (entry, own) => checkCounters(asEntry(entry), own, 'name'),
      nameOf,
    ),
  ];
}

function stampTaints(draft: MutableJson, clock: Clock | undefined): void {
  for (const device of objectsAt(objectAt(draft, 'spec'), 'devices')) {
    for (const taint of objectsAt(device, 'taints')) stampTaint(taint, clock);
  }
}

export const resourceSliceStrategy: Strategy = {
  default(draft, clock) {
    ensureObject(ensureObject(draft, 'spec'), 'pool');
    stampTaints(draft, clock);
  },
  validate: (object) => checkSpec(objectAt(object, 'spec') ?? {}),
  validateUpdate(object, old) {
    const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
    return [
      ...unchanged(objectAt(spec, 'pool')?.name, objectAt(before, 'pool')?.name, 'spec.pool.name'),
      ...unchanged(spec?.driver, before?.driver, 'spec.driver'),
      ...unchanged(spec?.nodeName, before?.nodeName, 'spec.nodeName'),
    ];
  },
};
