import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { Conversion } from '../../types.ts';
import {
  copyJson,
  ensureObject,
  given,
  isObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  textAt,
} from '../shared/draft.ts';
import { carriedBehavior, newerMetric, olderMetric, restoredBehavior } from './autoscaler-v1-metrics.ts';

/** Where the first version keeps what it has no fields for, as the real server does. */
const carried = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
};
type Carried = keyof typeof carried;

function isCpu(metric: ReadJson): boolean {
  const resource = objectAt(metric, 'resource');
  const value = objectAt(resource, 'target') ?? objectAt(resource, 'current');
  return (
    textAt(metric, 'type') === 'Resource' &&
    textAt(resource, 'name') === 'cpu' &&
    numberAt(value, 'averageUtilization') !== undefined
  );
}

function cpuMetric(utilization: unknown): MutableJson {
  const target = { type: 'Utilization', averageUtilization: utilization };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

/**
 * What is carried of the part that a write does not change stays; other metrics and another behaviour are a new generation, though
 * the fields of the first version are the same.
 */
export function keepCarried(draft: MutableJson, old: DynamicObject, subresource: string): void {
  const metadata = ensureObject(draft, 'metadata');
  const annotations: MutableJson = { ...objectAt(metadata, 'annotations') };
  const before: ReadJson = old.metadata.annotations ?? {};
  const ofStatus = [carried.conditions, carried.currentMetrics];
  const ofSpec = [carried.metrics, carried.behavior];
  for (const key of subresource === 'status' ? ofSpec : ofStatus) {
    if (given(before[key])) annotations[key] = before[key];
    else delete annotations[key];
  }
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
  else delete metadata.annotations;
  if (ofSpec.some((key) => annotations[key] !== before[key])) {
    metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
}

function cpuStatus(utilization: unknown): MutableJson {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } };
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether an object of the first version has metrics of which its fields tell nothing. */
export function carriesMetrics(object: ReadJson): boolean {
  const value = parsed(objectAt(objectAt(object, 'metadata'), 'annotations')?.[carried.metrics]);
  return Array.isArray(value) && value.length > 0;
}

/** Moves one annotation back to where the newer version keeps its value. */
function restore(object: MutableJson, part: string, field: Carried, convert: (value: unknown) => unknown): void {
  const metadata = objectAt(object, 'metadata');
  const annotations = objectAt(metadata, 'annotations');
  const text = annotations?.[carried[field]];
  if (!annotations || text === undefined) return;
  delete annotations[carried[field]];
  if (Object.keys(annotations).length === 0) delete metadata?.annotations;
  const value = parsed(text);
  if (value === undefined || value === null) return;
  ensureObject(object, part)[field] = convert(value);
}

const each =
  (convert: (item: unknown) => unknown) =>
  (value: unknown): unknown =>
    Array.isArray(value) ? value.map(convert) : value;

function toStored(object: ReadJson): MutableJson {
  const stored = copyJson(object) as MutableJson;
  stored.apiVersion = 'autoscaling/v2';
  const spec = ensureObject(stored, 'spec');
  if (spec.targetCPUUtilizationPercentage !== undefined)
    spec.metrics = [cpuMetric(spec.targetCPUUtilizationPercentage)];
  delete spec.targetCPUUtilizationPercentage;
  const status = objectAt(stored, 'status');
  if (status) {
    if (given(status.currentCPUUtilizationPercentage)) {
      status.currentMetrics = [cpuStatus(status.currentCPUUtilizationPercentage)];
    }
    delete status.currentCPUUtilizationPercentage;
    if (status.currentReplicas === 0) delete status.currentReplicas;
  }
  const cpu = listAt(spec, 'metrics');
  restore(stored, 'spec', 'metrics', (value) => [
    ...(each((metric) => newerMetric(metric, 'target'))(value) as unknown[]),
    ...cpu,
  ]);
  restore(stored, 'spec', 'behavior', restoredBehavior);
  restore(stored, 'status', 'conditions', each(newerCondition));
  restore(
    stored,
    'status',
    'currentMetrics',
    each((metric) => newerMetric(metric, 'current')),
  );
  if (status) status.currentMetrics ??= null;
  return stored;
}

function carry(object: MutableJson, field: Carried, value: unknown): void {
  const empty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (empty) return;
  ensureObject(ensureObject(object, 'metadata'), 'annotations')[carried[field]] = JSON.stringify(value);
}

const conditionFields = ['type', 'status', 'lastTransitionTime', 'reason', 'message', 'observedGeneration'];

/** A condition, its fields in the order of the server's own. */
function olderCondition(condition: ReadJson): MutableJson {
  const known = conditionFields.filter((key) => given(condition[key]) || key === 'lastTransitionTime');
  return Object.fromEntries(known.map((key) => [key, condition[key] ?? null]));
}

const newerCondition = (condition: unknown): unknown =>
  isObject(condition) ? { ...condition, lastTransitionTime: condition.lastTransitionTime ?? null } : condition;

function fromStored(object: ReadJson): MutableJson {
  const served = copyJson(object) as MutableJson;
  served.apiVersion = 'autoscaling/v1';
  const spec = objectAt(served, 'spec') ?? {};
  const metrics = objectsAt(spec, 'metrics');
  const cpu = metrics.findLast(isCpu);
  const others = metrics.filter((metric) => !isCpu(metric));
  carry(
    served,
    'metrics',
    others.map((metric) => olderMetric(metric, 'target')),
  );
  const behavior = objectAt(spec, 'behavior');
  carry(served, 'behavior', behavior && carriedBehavior(behavior));
  delete spec.metrics;
  delete spec.behavior;
  const target = objectAt(objectAt(cpu, 'resource'), 'target');
  if (target) spec.targetCPUUtilizationPercentage = target.averageUtilization;
  const status = objectAt(served, 'status');
  if (!isObject(status)) return served;
  const current = objectsAt(status, 'currentMetrics').findLast(isCpu);
  carry(served, 'conditions', objectsAt(status, 'conditions').map(olderCondition));
  carry(
    served,
    'currentMetrics',
    objectsAt(status, 'currentMetrics').map((metric) => olderMetric(metric, 'current')),
  );
  status.currentReplicas ??= 0;
  delete status.conditions;
  delete status.currentMetrics;
  const value = objectAt(objectAt(current, 'resource'), 'current');
  if (value) status.currentCPUUtilizationPercentage = value.averageUtilization;
  return served;
}

/** A draft of the first version as it comes back from the newer one: what is carried counts for more than the fields. */
export function settleCarried(draft: MutableJson): void {
  const settled = fromStored(toStored(draft));
  for (const key of Object.keys(draft)) delete draft[key];
  Object.assign(draft, settled);
}

/** `autoscaling/v1`: one CPU target; the rest travels in annotations. */
export const autoscalerV1Conversion: Conversion = { toStored, fromStored };
