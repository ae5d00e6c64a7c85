import type { MutableJson } from '@coxswain/k8s';
import type { Conversion } from '../../types.ts';
import {
  copyJson,
  ensureObject,
  isObject,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  textAt,
} from '../shared/draft.ts';

/** Where the first version keeps what it has no fields for, as the real server does. */
const carried = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
};

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
function restore(object: MutableJson, part: string, field: string, annotation: string): void {
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations');
  const value = parsed(annotations?.[annotation]);
  if (!annotations || value === undefined) return;
  delete annotations[annotation];
  const parent = ensureObject(object, part);
  const present = parent[field];
  parent[field] = Array.isArray(present) && Array.isArray(value) ? [...present, ...value] : value;
}

function toStored(object: ReadJson): MutableJson {
  const stored = copyJson(object) as MutableJson;
  stored.apiVersion = 'autoscaling/v2';
  const spec = ensureObject(stored, 'spec');
  if (spec.targetCPUUtilizationPercentage !== undefined)
    spec.metrics = [cpuMetric(spec.targetCPUUtilizationPercentage)];
  delete spec.targetCPUUtilizationPercentage;
  const status = objectAt(stored, 'status');
  if (status) {
    delete status.currentCPUUtilizationPercentage;
    if (status.currentReplicas === 0) delete status.currentReplicas;
  }
  restore(stored, 'spec', 'metrics', carried.metrics);
  restore(stored, 'spec', 'behavior', carried.behavior);
  restore(stored, 'status', 'conditions', carried.conditions);
  restore(stored, 'status', 'currentMetrics', carried.currentMetrics);
  if (status) status.currentMetrics ??= null;
  return stored;
}

function carry(object: MutableJson, annotation: string, value: unknown): void {
  const empty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (empty) return;
  ensureObject(ensureObject(object, 'metadata'), 'annotations')[annotation] = JSON.stringify(value);
}

function fromStored(object: ReadJson): MutableJson {
  const served = copyJson(object) as MutableJson;
  served.apiVersion = 'autoscaling/v1';
  const spec = objectAt(served, 'spec') ?? {};
  const metrics = objectsAt(spec, 'metrics');
  const cpu = metrics.find(isCpu);
  carry(
    served,
    carried.metrics,
    metrics.filter((metric) => metric !== cpu),
  );
  carry(served, carried.behavior, spec.behavior);
  delete spec.metrics;
  delete spec.behavior;
  const target = objectAt(objectAt(cpu, 'resource'), 'target');
  if (target) spec.targetCPUUtilizationPercentage = target.averageUtilization;
  const status = objectAt(served, 'status');
  if (!isObject(status)) return served;
  const current = objectsAt(status, 'currentMetrics').find(isCpu);
  carry(served, carried.conditions, status.conditions);
  carry(
    served,
    carried.currentMetrics,
    objectsAt(status, 'currentMetrics').filter((metric) => metric !== current),
  );
  status.currentReplicas ??= 0;
  delete status.conditions;
  delete status.currentMetrics;
  const value = objectAt(objectAt(current, 'resource'), 'current');
  if (value) status.currentCPUUtilizationPercentage = value.averageUtilization;
  return served;
}

/** `autoscaling/v1`: one CPU target; the rest travels in annotations. */
export const autoscalerV1Conversion: Conversion = { toStored, fromStored };
