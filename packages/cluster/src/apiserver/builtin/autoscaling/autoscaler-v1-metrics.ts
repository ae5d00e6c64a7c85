import type { MutableJson } from '@coxswain/k8s';
import { given, isObject, objectAt, type ReadJson, textAt } from '../shared/draft.ts';

/** Where a metric keeps its amounts: what it aims at, or what was measured. */
type Side = 'target' | 'current';

/** The name of an amount in the first version: `averageValue` → `targetAverageValue`. */
const sided = (side: Side, amount: string): string => `${side}${amount.charAt(0).toUpperCase()}${amount.slice(1)}`;

/** Copies what is given, in the order of the names. */
function picked(from: ReadJson | undefined, names: Readonly<Record<string, string>>): MutableJson {
  const result: MutableJson = {};
  for (const [to, name] of Object.entries(names)) if (given(from?.[name])) result[to] = from?.[name];
  return result;
}

/** Amounts that the first version always writes. */
function zeroed(amounts: MutableJson, key: string): MutableJson {
  if (!given(amounts[key])) amounts[key] = '0';
  return amounts;
}

function olderSource(type: string, source: ReadJson, side: Side): MutableJson {
  const amounts = objectAt(source, side);
  const metric = objectAt(source, 'metric');
  const all = side === 'current';
  const [average, whole] = [sided(side, 'averageValue'), sided(side, 'value')];
  const utilization = sided(side, 'averageUtilization');
  switch (type) {
    case 'Resource':
    case 'ContainerResource': {
      const values = picked(amounts, { [utilization]: 'averageUtilization', [average]: 'averageValue' });
      return {
        name: source.name,
        ...(all ? zeroed(values, average) : values),
        ...picked(source, { container: 'container' }),
      };
    }
    case 'Pods': {
      const values = zeroed(picked(amounts, { [average]: 'averageValue' }), average);
      return { metricName: textAt(metric, 'name'), ...values, ...picked(metric, { selector: 'selector' }) };
    }
    case 'Object':
      return {
        target: picked(objectAt(source, 'describedObject'), { kind: 'kind', name: 'name', apiVersion: 'apiVersion' }),
        metricName: textAt(metric, 'name'),
        ...zeroed(picked(amounts, { [whole]: 'value' }), whole),
        ...picked(metric, { selector: 'selector' }),
        ...picked(amounts, { averageValue: 'averageValue' }),
      };
    default: {
      const values = picked(amounts, { [whole]: 'value' });
      return {
        metricName: textAt(metric, 'name'),
        ...picked(metric, { metricSelector: 'selector' }),
        ...(all ? zeroed(values, whole) : values),
        ...picked(amounts, { [average]: 'averageValue' }),
      };
    }
  }
}

function newerAmounts(type: string, source: ReadJson, side: Side): MutableJson {
  const names = {
    value: sided(side, 'value'),
    averageValue: type === 'Object' ? 'averageValue' : sided(side, 'averageValue'),
    averageUtilization: sided(side, 'averageUtilization'),
  };
  const amounts = picked(source, names);
  if (side === 'current') {
    // What was given as a share only is carried with a value all the same.
    if (given(amounts.averageUtilization) && amounts.averageValue === '0') delete amounts.averageValue;
    return amounts;
  }
  // The first version cannot leave the value of an object out.
  if (type === 'Object' && given(amounts.averageValue) && amounts.value === '0') delete amounts.value;
  if (given(amounts.averageUtilization)) return { type: 'Utilization', ...amounts };
  return { type: given(amounts.averageValue) && !given(amounts.value) ? 'AverageValue' : 'Value', ...amounts };
}

function newerSource(type: string, source: ReadJson, side: Side): MutableJson {
  const amounts = { [side]: newerAmounts(type, source, side) };
  if (type === 'Resource' || type === 'ContainerResource') {
    return { ...picked(source, { name: 'name', container: 'container' }), ...amounts };
  }
  const metric = {
    name: textAt(source, 'metricName'),
    ...picked(source, { selector: type === 'External' ? 'metricSelector' : 'selector' }),
  };
  return type === 'Object' ? { describedObject: source.target, metric, ...amounts } : { metric, ...amounts };
}

const partOf = (type: string): string => `${type.charAt(0).toLowerCase()}${type.slice(1)}`;

function converted(metric: unknown, convert: (type: string, source: ReadJson) => MutableJson): unknown {
  if (!isObject(metric)) return metric;
  const type = textAt(metric, 'type');
  const source = objectAt(metric, partOf(type));
  return source ? { type, [partOf(type)]: convert(type, source) } : { type };
}

/** A metric of the newer version in the form in which the first one carries it; keys in its order. */
export const olderMetric = (metric: unknown, side: Side): unknown =>
  converted(metric, (type, source) => olderSource(type, source, side));

/** The way back. */
export const newerMetric = (metric: unknown, side: Side): unknown =>
  converted(metric, (type, source) => newerSource(type, source, side));

const ruleFields = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance'];
const policyFields = ['Type', 'Value', 'PeriodSeconds'];

const lower = (key: string): string => key.charAt(0).toLowerCase() + key.slice(1);
const goFields = (from: ReadJson, fields: readonly string[], part = (value: unknown): unknown => value): MutableJson =>
  Object.fromEntries(fields.map((field) => [field, part(from[lower(field)]) ?? null]));

/** The behaviour as it is carried: under the names of the fields in the server's own program, absent ones as `null`. */
export function carriedBehavior(behavior: ReadJson): MutableJson {
  const policies = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((one) => goFields(isObject(one) ? one : {}, policyFields)) : value;
  const rules = (value: unknown): unknown => (isObject(value) ? goFields(value, ruleFields, policies) : value);
  return goFields(behavior, ['ScaleUp', 'ScaleDown'], rules);
}

/** The way back; the names may begin with either case. */
export function restoredBehavior(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restoredBehavior);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(entries.map(([key, part]) => [lower(key), restoredBehavior(part)]));
}
