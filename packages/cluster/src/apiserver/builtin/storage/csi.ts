import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  given,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { duplicate, immutableText, invalidValue, notSupported, required, tooLong } from '../shared/errors.ts';
import { dnsSubdomain, qualifiedName } from '../shared/names.ts';
import { nonNegativeQuantity } from '../shared/quantities.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { formatErrors, nonNegative, unchanged } from '../shared/values.ts';

const lifecycles = ['Persistent', 'Ephemeral'];
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const offByDefault = [
  'podInfoOnMount',
  'storageCapacity',
  'requiresRepublish',
  'seLinuxMount',
  'preventPodSchedulingIfMissing',
];
const shortestToken = 600;
const longestToken = 2 ** 32;
const shortestPeriod = 10;
const longestDriver = 63;
const longestNodeId = 256;

function validateTokens(spec: ReadJson | undefined): readonly FieldError[] {
  const audiences = new Set<string>();
  return objectsAt(spec, 'tokenRequests').flatMap((request, i) => {
    const field = `spec.tokenRequests[${i}]`;
    const audience = textAt(request, 'audience');
    const errors: FieldError[] = audiences.has(audience) ? [duplicate(`${field}.audience`, audience)] : [];
    audiences.add(audience);
    const seconds = request.expirationSeconds;
    if (!given(seconds)) return errors;
    const invalid = (text: string) => errors.push(invalidValue(`${field}.expirationSeconds`, seconds, text));
    if (Number(seconds) < shortestToken) invalid('may not specify a duration less than 10 minutes');
    if (Number(seconds) > longestToken) invalid('may not specify a duration larger than 2^32 seconds');
    return errors;
  });
}

function validateDriverSpec(spec: ReadJson | undefined): readonly FieldError[] {
  const period = numberAt(spec, 'nodeAllocatableUpdatePeriodSeconds');
  const policy = textAt(spec, 'fsGroupPolicy');
  const errors = [...validateTokens(spec)];
  if (period !== undefined && period < shortestPeriod) {
    const text = `must be greater than or equal to ${shortestPeriod} seconds`;
    errors.push(invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, text));
  }
  for (const mode of listAt(spec, 'volumeLifecycleModes')) {
    if (!lifecycles.includes(String(mode))) errors.push(notSupported('spec.volumeLifecycleModes', mode, lifecycles));
  }
  if (!groupPolicies.includes(policy)) errors.push(notSupported('spec.fsGroupPolicy', policy, groupPolicies));
  return errors;
}

export const csiDriverStrategy: Strategy = {
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    fill(spec, 'attachRequired', true);
    for (const key of offByDefault) fill(spec, key, false);
    fill(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
    if (listAt(spec, 'volumeLifecycleModes').length === 0) spec.volumeLifecycleModes = ['Persistent'];
  },
  warnings(object) {
    const spec = objectAt(object, 'spec');
    if (listAt(spec, 'tokenRequests').length === 0 || given(spec?.serviceAccountTokenInSecrets)) return [];
    return [
      'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ];
  },
  validate: (object) => validateDriverSpec(objectAt(object, 'spec')),
  validateUpdate(object, old) {
    const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
    return [
      // The server calls the field by this name here.
      ...unchanged(spec?.attachRequired, before?.attachRequired, 'spec.attachedRequired'),
      ...unchanged(spec?.volumeLifecycleModes, before?.volumeLifecycleModes, 'spec.volumeLifecycleModes'),
    ];
  },
};

function validateNodeDriver(driver: ReadJson, names: Set<string>, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [name, id] = [textAt(driver, 'name'), textAt(driver, 'nodeID')];
  if (name === '') errors.push(required(`${field}.name`));
  else {
    if (name.length > longestDriver) errors.push(tooLong(`${field}.name`, longestDriver));
    errors.push(...dnsSubdomain(name.toLowerCase()).map((text) => invalidValue(`${field}.name`, name, text)));
  }
  if (id === '') errors.push(required(`${field}.nodeID`));
  else if (id.length > longestNodeId) {
    errors.push(invalidValue(`${field}.nodeID`, id, `must be ${longestNodeId} characters or less`));
  }
  const count = objectAt(driver, 'allocatable')?.count;
  errors.push(...nonNegative(count, `${field}.allocatable.count`));
  if (name !== '' && names.has(name)) errors.push(duplicate(`${field}.name`, name));
  names.add(name);
  const keys = listAt(driver, 'topologyKeys').map(String);
  keys.forEach((key, i) => {
    if (key === '') errors.push(required(field));
    if (keys.indexOf(key) < i) errors.push(duplicate(field, key));
    errors.push(...formatErrors(key, field, qualifiedName));
  });
  return errors;
}

/** What a driver says of a node stays, but for how many volumes it can take. */
const identityOf = ({ allocatable: _, ...rest }: ReadJson): object => rest;

export const csiNodeStrategy: Strategy = {
  resets: { status: statusOnlyResets.status, '': [] },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  validate(object) {
    const names = new Set<string>();
    const drivers = objectsAt(objectAt(object, 'spec'), 'drivers');
    return drivers.flatMap((driver, i) => validateNodeDriver(driver, names, `spec.drivers[${i}]`));
  },
  validateUpdate(object, old) {
    const drivers = objectsAt(objectAt(object, 'spec'), 'drivers');
    return objectsAt(objectAt(old, 'spec'), 'drivers').flatMap((before) =>
      drivers
        .filter(({ name }) => name === before.name)
        .filter((driver) => !sameJson(identityOf(driver), identityOf(before)))
        .map((driver) => invalidValue('spec.drivers', goDriver(driver), immutableText)),
    );
  },
};

function goDriver(driver: ReadJson): object {
  const allocatable = objectAt(driver, 'allocatable');
  return {
    Name: textAt(driver, 'name'),
    NodeID: textAt(driver, 'nodeID'),
    TopologyKeys: given(driver.topologyKeys) ? listAt(driver, 'topologyKeys') : null,
    Allocatable: allocatable ? { Count: allocatable.count ?? null } : null,
  };
}

export const csiCapacityStrategy: Strategy = {
  validate: (object) => [
    ...formatErrors(textAt(object, 'storageClassName'), 'storageClassName', dnsSubdomain),
    ...validateLabelSelector(objectAt(object, 'nodeTopology'), 'nodeTopology'),
    ...nonNegativeQuantity(object.capacity, 'capacity'),
  ],
  validateUpdate: (object, old) => [
    ...unchanged(object.nodeTopology, old.nodeTopology, 'nodeTopology'),
    ...unchanged(object.storageClassName, old.storageClassName, 'storageClassName'),
  ],
};
