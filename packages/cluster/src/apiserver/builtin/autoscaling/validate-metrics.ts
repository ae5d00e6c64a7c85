import { compareQuantities, formatQuantity } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { validateContainerResourceName } from '../pod/validate-resources.ts';
import { given, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, pathSegment } from '../shared/names.ts';
import { quantityAt, zeroQuantity } from '../shared/quantities.ts';
import { formatErrors, requiredName } from '../shared/values.ts';
import { validateTargetRef } from './validate-target.ts';

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

function validateTarget(target: ReadJson, field: string): readonly FieldError[] {
  const type = textAt(target, 'type');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric target type'));
  if (!targetTypes.includes(type)) {
    errors.push(invalidValue(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const key of ['value', 'averageValue']) {
    const amount = quantityAt(target[key]);
    if (amount && compareQuantities(amount, zeroQuantity) <= 0) {
      errors.push(invalidValue(`${field}.${key}`, formatQuantity(amount), 'must be positive'));
    }
  }
  const share = numberAt(target, 'averageUtilization');
  if (share !== undefined && share < 1) {
    errors.push(invalidValue(`${field}.averageUtilization`, share, 'must be greater than 0'));
  }
  return errors;
}

function validateMetricName(source: ReadJson, field: string): readonly FieldError[] {
  const name = textAt(objectAt(source, 'metric'), 'name');
  return requiredName(name, `${field}.metric.name`, pathSegment, 'must specify a metric name');
}

/** What of a target has to be there, and what not together. */
function validateShare(target: ReadJson, field: string): readonly FieldError[] {
  const [share, value] = [given(target.averageUtilization), given(target.averageValue)];
  const raw = 'a target raw value';
  if (!share && !value)
    return [required(`${field}.averageUtilization`, `must set either ${raw} or a target utilization`)];
  if (!share || !value) return [];
  return [forbiddenField(`${field}.averageValue`, `may not set both ${raw} and a target utilization`)];
}

type Source = (source: ReadJson, target: ReadJson, field: string) => readonly FieldError[];

/** In the order in which they are looked at. */
const sources: Readonly<Record<string, Source>> = {
  object: (source, target, field) => [
    ...validateTargetRef(objectAt(source, 'describedObject'), `${field}.describedObject`, false),
    ...validateMetricName(source, field),
    ...validateTarget(target, `${field}.target`),
    ...(given(target.value) || given(target.averageValue)
      ? []
      : [required(`${field}.target.averageValue`, 'must set either a target value or averageValue')]),
  ],
  external: (source, target, field) => {
    const errors = [...validateMetricName(source, field), ...validateTarget(target, `${field}.target`)];
    const text = 'a target value for metric';
    if (!given(target.value) && !given(target.averageValue)) {
      errors.push(required(`${field}.target.averageValue`, `must set either ${text} or a per-pod target`));
    }
    if (!given(target.value) || !given(target.averageValue)) return errors;
    return [...errors, forbiddenField(`${field}.target.value`, `may not set both ${text} and a per-pod target`)];
  },
  pods: (source, target, field) => [
    ...validateMetricName(source, field),
    ...validateTarget(target, `${field}.target`),
    ...(given(target.averageValue)
      ? []
      : [required(`${field}.target.averageValue`, 'must specify a positive target averageValue')]),
  ],
  resource: (source, target, field) => [
    ...(textAt(source, 'name') === '' ? [required(`${field}.name`, 'must specify a resource name')] : []),
    ...validateTarget(target, `${field}.target`),
    ...validateShare(target, `${field}.target`),
  ],
  containerResource: (source, target, field) => {
    const name = textAt(source, 'name');
    const container = textAt(source, 'container');
    return [
      ...(name === ''
        ? [required(`${field}.name`, 'must specify a resource name')]
        : validateContainerResourceName(name, `${field}.name`)),
      ...(container === ''
        ? [required(`${field}.container`, 'must specify a container')]
        : formatErrors(container, `${field}.container`, dnsLabel)),
      ...validateTarget(target, `${field}.target`),
      ...validateShare(target, `${field}.target`),
    ];
  },
};

const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

function validateMetric(metric: ReadJson, field: string): readonly FieldError[] {
  const type = textAt(metric, 'type');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${field}.type`, 'must specify a metric source type'));
  if (!types.includes(type)) errors.push(notSupported(`${field}.type`, type, types));
  const present = Object.keys(sources).filter((key) => objectAt(metric, key));
  const [first] = present;
  const source = first === undefined ? undefined : objectAt(metric, first);
  if (first !== undefined && source) {
    errors.push(...(sources[first]?.(source, objectAt(source, 'target') ?? {}, `${field}.${first}`) ?? []));
  }
  const expected = type.slice(0, 1).toLowerCase() + type.slice(1);
  if (!types.includes(type)) errors.push(notSupported(`${field}.type`, type, types));
  else if (!present.includes(expected)) {
    errors.push(required(`${field}.${expected}`, 'must populate information for the given metric source'));
  }
  if (present.length === 1) return errors;
  const others = present.filter((key) => key !== expected);
  return [
    ...errors,
    ...others.map((key) => forbiddenField(`${field}.${key}`, 'must populate the given metric source only')),
  ];
}

/** `metrics` of an autoscaler; to come down to nothing it needs one that is there without pods. */
export function validateMetrics(spec: ReadJson, field: string): readonly FieldError[] {
  const metrics = objectsAt(spec, 'metrics');
  const errors = metrics.flatMap((metric, i) => validateMetric(metric, `${field}[${i}]`));
  const outside = metrics.some(({ type }) => type === 'Object' || type === 'External');
  if (spec.minReplicas !== 0 || outside) return errors;
  const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [...errors, forbiddenField(field, text)];
}
