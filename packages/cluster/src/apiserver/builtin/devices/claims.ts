import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy, StrategyContext } from '../../types.ts';
import { checkConditions } from '../shared/conditions.ts';
import { ensureObject, given, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { forbiddenField, immutableText, invalidValue, notSupported, required } from '../shared/errors.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { unchanged } from '../shared/values.ts';
import { checkAdminRequests, checkAdminResults } from './admin-access.ts';
import { checkClaimSpec, checkRequestName, checkRequestNames, defaultClaimSpec, requestNames } from './claim-spec.ts';
import { asEntry, checkDriver, checkLabelName, checkList, checkPool, checkSet, tooMany } from './lists.ts';
import { checkConfiguration } from './selectors.ts';
import { checkToleration } from './taints.ts';

const mostConsumers = 256;
const mostResults = 32;
const mostConditions = 8;

function checkConsumer(consumer: ReadJson, field: string): readonly FieldError[] {
  return ['resource', 'name', 'uid']
    .filter((key) => textAt(consumer, key) === '')
    .map((key) => required(`${field}.${key}`));
}

function checkDevice(device: ReadJson, field: string): readonly FieldError[] {
  return [
    ...checkDriver(textAt(device, 'driver'), `${field}.driver`),
    ...checkPool(textAt(device, 'pool'), `${field}.pool`),
    ...checkLabelName(textAt(device, 'device'), `${field}.device`),
  ];
}

const deviceId = (device: unknown): string =>
  ['driver', 'pool', 'device', 'shareID'].map((key) => textAt(asEntry(device), key)).join('/');

function checkAllocation(allocation: ReadJson, field: string, known: ReadonlySet<string>): readonly FieldError[] {
  const devices = objectAt(allocation, 'devices');
  const result = (entry: unknown, own: string) => {
    const one = asEntry(entry);
    return [
      ...checkRequestName(textAt(one, 'request'), `${own}.request`, known),
      ...checkDevice(one, own),
      ...objectsAt(one, 'tolerations').flatMap((toleration, i) =>
        checkToleration(toleration, `${own}.tolerations[${i}]`),
      ),
    ];
  };
  const config = (entry: unknown, own: string) => {
    const one = asEntry(entry);
    const source = textAt(one, 'source');
    const sources = ['FromClaim', 'FromClass'];
    return [
      ...(source === '' ? [required(`${own}.source`)] : []),
      ...(source === '' || sources.includes(source) ? [] : [notSupported(`${own}.source`, source, sources)]),
      ...checkRequestNames(one, own, known),
      ...checkConfiguration(one, own),
    ];
  };
  return [
    ...checkList(devices, 'results', `${field}.devices`, mostResults, result),
    ...checkList(devices, 'config', `${field}.devices`, 2 * mostResults, config),
  ];
}

function checkDeviceStatus(device: ReadJson, field: string, allocated: ReadonlySet<string>): readonly FieldError[] {
  const conditions = objectsAt(device, 'conditions');
  const errors = [...checkDevice(device, field)];
  if (!allocated.has(deviceId(device))) {
    errors.push(invalidValue(field, deviceId(device), 'must be an allocated device in the claim'));
  }
  if (conditions.length > mostConditions) {
    errors.push(tooMany(`${field}.conditions`, conditions.length, mostConditions));
  }
  return [...errors, ...checkConditions(conditions, `${field}.conditions`)];
}

function reservationErrors(object: DynamicObject, old: DynamicObject): readonly FieldError[] {
  const consumers = objectsAt(objectAt(object, 'status'), 'reservedFor');
  if (consumers.length === 0) return [];
  const field = 'status.reservedFor';
  if (!objectAt(objectAt(object, 'status'), 'allocation')) {
    return [forbiddenField(field, 'may not be specified when `allocated` is not set')];
  }
  if (!given(object.metadata.deletionTimestamp)) return [];
  const before = objectsAt(objectAt(old, 'status'), 'reservedFor');
  if (consumers.every((consumer) => before.some((one) => sameJson(one, consumer)))) return [];
  const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return [forbiddenField(field, text)];
}

/** What `/status` of a claim may write. */
export function claimStatus(
  object: DynamicObject,
  old: DynamicObject,
  context: StrategyContext,
): readonly FieldError[] {
  const status = objectAt(object, 'status');
  const allocation = objectAt(status, 'allocation');
  const before = objectAt(objectAt(old, 'status'), 'allocation');
  const allocated = new Set(objectsAt(objectAt(allocation, 'devices'), 'results').map(deviceId));
  const known = requestNames(objectAt(objectAt(object, 'spec'), 'devices'));
  const consumer = (entry: unknown, field: string) => checkConsumer(asEntry(entry), field);
  const device = (entry: unknown, field: string) => checkDeviceStatus(asEntry(entry), field, allocated);
  const errors = [
    ...checkSet(status, 'reservedFor', 'status', mostConsumers, consumer, (entry) => textAt(asEntry(entry), 'uid')),
    ...checkSet(status, 'devices', 'status', Number.POSITIVE_INFINITY, device, deviceId),
    ...reservationErrors(object, old),
    ...checkAdminResults(object, old, context),
  ];
  if (!allocation) return errors;
  if (!before) return [...errors, ...checkAllocation(allocation, 'status.allocation', known)];
  return sameJson(allocation, before)
    ? errors
    : [...errors, invalidValue('status.allocation', allocation, immutableText)];
}

export const resourceClaimStrategy: Strategy = {
  resets: statusOnlyResets,
  default(draft) {
    ensureObject(ensureObject(draft, 'spec'), 'devices');
    defaultClaimSpec(objectAt(draft, 'spec'));
    ensureObject(draft, 'status');
  },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  validateRules(object, old, _found, context) {
    const spec = objectAt(object, 'spec');
    if (old || context.subresource !== '') return [];
    return [...checkAdminRequests(object, spec, context), ...checkClaimSpec(spec, 'spec')];
  },
  validateUpdate: (object, old) => unchanged(object.spec, old.spec, 'spec'),
};

export const resourceClaimTemplateStrategy: Strategy = {
  default(draft) {
    const spec: MutableJson = ensureObject(draft, 'spec');
    ensureObject(spec, 'metadata');
    ensureObject(ensureObject(spec, 'spec'), 'devices');
    defaultClaimSpec(objectAt(spec, 'spec'));
  },
  validateRules(object, old, _found, context) {
    const spec = objectAt(objectAt(object, 'spec'), 'spec');
    return old ? [] : [...checkAdminRequests(object, spec, context), ...checkClaimSpec(spec, 'spec.spec')];
  },
  validateUpdate: (object, old) => unchanged(object.spec, old.spec, 'spec'),
};
