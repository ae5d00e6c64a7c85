import type { MutableJson } from '@coxswain/k8s';
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
} from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { validateContainerResourceName } from '../pod/validate-resources.ts';
import { ensureObject, fill, given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, required } from '../shared/errors.ts';
import { qualifiedName } from '../shared/names.ts';
import { quantityAt } from '../shared/quantities.ts';
import { isOvercommittable, validateResourceName } from '../shared/resource-names.ts';

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];

function validateType(type: string, field: string): readonly FieldError[] {
  const errors = qualifiedName(type).map((text) => invalidValue(field, type, text));
  if (errors.length > 0 || type.includes('/') || types.includes(type)) return errors;
  return [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

function validateNames(item: ReadJson, key: string, field: string): readonly FieldError[] {
  const rule = ['Pod', 'Container'].includes(textAt(item, 'type'))
    ? validateContainerResourceName
    : validateResourceName;
  return Object.keys(objectAt(item, key) ?? {}).flatMap((name) => rule(name, `${field}.${key}[${name}]`));
}

/** The five amounts of one resource. */
function amountsOf(item: ReadJson, name: string) {
  const at = (key: string) => quantityAt(objectAt(item, key)?.[name]);
  const isPod = item.type === 'Pod';
  return {
    min: at('min'),
    max: at('max'),
    limit: isPod ? undefined : at('default'),
    request: isPod ? undefined : at('defaultRequest'),
    ratio: at('maxLimitRequestRatio'),
  };
}

type Amounts = ReturnType<typeof amountsOf>;

/** Pairs of which the first may not be above the second: what is refused, and how both are called. */
const orders: readonly (readonly [
  low: keyof Amounts,
  high: keyof Amounts,
  field: string,
  shown: keyof Amounts,
  text: string,
])[] = [
  ['min', 'max', 'min', 'min', 'min value L is greater than max value H'],
  ['min', 'request', 'defaultRequest', 'request', 'min value L is greater than default request value H'],
  ['request', 'max', 'defaultRequest', 'request', 'default request value L is greater than max value H'],
  ['request', 'limit', 'defaultRequest', 'request', 'default request value L is greater than default limit value H'],
  ['min', 'limit', 'default', 'min', 'min value L is greater than default value H'],
  ['limit', 'max', 'default', 'max', 'default value L is greater than max value H'],
];

function validateRatio({ min, max, ratio }: Amounts, field: string): readonly FieldError[] {
  if (!ratio) return [];
  const shown = formatQuantity(ratio);
  const errors: FieldError[] = [];
  if (compareQuantities(ratio, parseQuantity('1')) < 0)
    errors.push(invalidValue(field, shown, `ratio ${shown} is less than 1`));
  if (!min || !max) return errors;
  const milli = (quantity: Quantity) => Number(quantityMilliValue(quantity));
  const most = milli(max) / milli(min);
  if (milli(ratio) / 1000 <= most) return errors;
  return [...errors, invalidValue(field, shown, `ratio ${shown} is greater than max/min = ${most.toFixed(6)}`)];
}

function validateAmounts(item: ReadJson, name: string, field: string): readonly FieldError[] {
  const amounts = amountsOf(item, name);
  const errors: FieldError[] = [];
  for (const [low, high, key, refused, text] of orders) {
    const [a, b, shown] = [amounts[low], amounts[high], amounts[refused]];
    if (!a || !b || !shown || compareQuantities(a, b) <= 0) continue;
    const words = text.replace(' L ', ` ${formatQuantity(a)} `).replace(/ H$/, ` ${formatQuantity(b)}`);
    errors.push(invalidValue(`${field}.${key}[${name}]`, formatQuantity(shown), words));
  }
  errors.push(...validateRatio(amounts, `${field}.maxLimitRequestRatio[${name}]`));
  const { limit, request } = amounts;
  if (isOvercommittable(name) || !limit || !request || compareQuantities(limit, request) === 0) return errors;
  const text = `default value ${formatQuantity(limit)} must equal to defaultRequest value ${formatQuantity(request)} in ${name}`;
  return [...errors, invalidValue(`${field}.defaultRequest[${name}]`, formatQuantity(request), text)];
}

const maps = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

function validateItem(item: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isPod = item.type === 'Pod';
  for (const key of maps) {
    if (key === 'maxLimitRequestRatio' && item.type === 'PersistentVolumeClaim') {
      if (!given(objectAt(item, 'min')?.storage) && !given(objectAt(item, 'max')?.storage)) {
        const text = 'either minimum or maximum storage value is required, but neither was provided';
        errors.push(required(`${field}.limits`, text));
      }
    }
    if (isPod && key.startsWith('default')) {
      if (objectAt(item, key))
        errors.push(forbiddenField(`${field}.${key}`, "may not be specified when `type` is 'Pod'"));
    } else errors.push(...validateNames(item, key, field));
  }
  const names = new Set(
    maps
      .filter((key) => !(isPod && key.startsWith('default')))
      .flatMap((key) => Object.keys(objectAt(item, key) ?? {})),
  );
  return [...errors, ...[...names].flatMap((name) => validateAmounts(item, name, field))];
}

function validateLimitRange(object: ReadJson): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(objectAt(object, 'spec'), 'limits').flatMap((item, i) => {
    const field = `spec.limits[${i}]`;
    const type = textAt(item, 'type');
    const errors = [...validateType(type, `${field}.type`)];
    if (seen.has(type)) errors.push(duplicate(`${field}.type`, type));
    seen.add(type);
    return [...errors, ...validateItem(item, field)];
  });
}

/** Limits follow from the greatest allowed, requests from the limits, then from the least allowed. */
function defaultItem(item: MutableJson): void {
  if (item.type !== 'Container') return;
  const limits = ensureObject(item, 'default');
  const requests = ensureObject(item, 'defaultRequest');
  for (const [key, value] of Object.entries(objectAt(item, 'max') ?? {})) fill(limits, key, value);
  for (const [key, value] of Object.entries(limits)) fill(requests, key, value);
  for (const [key, value] of Object.entries(objectAt(item, 'min') ?? {})) fill(requests, key, value);
}

export const limitRangeStrategy: Strategy = {
  default(draft) {
    for (const item of objectsAt(ensureObject(draft, 'spec'), 'limits')) defaultItem(item);
  },
  validate: validateLimitRange,
};
