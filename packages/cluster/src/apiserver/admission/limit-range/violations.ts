import { compareQuantities, formatQuantity, type Quantity } from '@coxswain/runtime/core';
import { type Amounts, amountsAt, containerAmounts, podAmounts } from '../../../usage/index.ts';
import { objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';

/** What something asks for, held against one bound of a resource. */
interface Asked {
  /** `Container`, `Pod` or `PersistentVolumeClaim`. */
  readonly type: string;
  readonly name: string;
  readonly bound: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

type Bound = (asked: Asked) => string | undefined;

const text = formatQuantity;

const atLeast: Bound = ({ type, name, bound, request, limit }) => {
  const rule = `minimum ${name} usage per ${type} is ${text(bound)}`;
  if (!request) return `${rule}.  No request is specified`;
  if (compareQuantities(request, bound) < 0) return `${rule}, but request is ${text(request)}`;
  if (limit && compareQuantities(limit, bound) < 0) return `${rule}, but limit is ${text(limit)}`;
  return undefined;
};

const atMost: Bound = ({ type, name, bound, request, limit }) => {
  const rule = `maximum ${name} usage per ${type} is ${text(bound)}`;
  if (!limit) return `${rule}.  No limit is specified`;
  if (compareQuantities(limit, bound) > 0) return `${rule}, but limit is ${text(limit)}`;
  if (request && compareQuantities(request, bound) > 0) return `${rule}, but request is ${text(request)}`;
  return undefined;
};

/** For what has requests only. */
const requestAtMost: Bound = ({ type, name, bound, request }) => {
  const rule = `maximum ${name} usage per ${type} is ${text(bound)}`;
  if (!request) return `${rule}.  No request is specified`;
  return compareQuantities(request, bound) > 0 ? `${rule}, but request is ${text(request)}` : undefined;
};

const ratioAtMost: Bound = ({ type, name, bound, request, limit }) => {
  const rule = `${name} max limit to request ratio per ${type} is ${text(bound)}`;
  if (!request || request.nano === 0n) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.nano === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit.nano) / Number(request.nano);
  return ratio > Number(bound.nano) / 1e9 ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
};

interface Usage {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function against(item: ReadJson, key: string, bound: Bound, { requests, limits }: Usage): string[] {
  const type = textAt(item, 'type');
  const entries = [...amountsAt(item, key)].sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.flatMap(([name, quantity]) => {
    const asked = { type, name, bound: quantity, request: requests.get(name), limit: limits.get(name) };
    return bound(asked) ?? [];
  });
}

function bounded(item: ReadJson, usage: Usage): string[] {
  return [
    ...against(item, 'min', atLeast, usage),
    ...against(item, 'max', atMost, usage),
    ...against(item, 'maxLimitRequestRatio', ratioAtMost, usage),
  ];
}

function podViolations(item: ReadJson, pod: ReadJson): string[] {
  if (item.type === 'Pod') {
    return bounded(item, { requests: podAmounts(pod, 'requests'), limits: podAmounts(pod, 'limits') });
  }
  if (item.type !== 'Container') return [];
  const spec = objectAt(pod, 'spec');
  return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].flatMap((container) =>
    bounded(item, {
      requests: containerAmounts(container, 'requests'),
      limits: containerAmounts(container, 'limits'),
    }),
  );
}

function claimViolations(item: ReadJson, claim: ReadJson): string[] {
  if (item.type !== 'PersistentVolumeClaim') return [];
  const requests = amountsAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests');
  const usage = { requests, limits: new Map() };
  return [...against(item, 'min', atLeast, usage), ...against(item, 'max', requestAtMost, usage)];
}

/** Everything by which a pod or claim breaks a LimitRange, in words. */
export function violations(range: ReadJson, plural: string, object: ReadJson): string[] {
  const check = plural === 'pods' ? podViolations : claimViolations;
  return objectsAt(objectAt(range, 'spec'), 'limits').flatMap((item) => check(item, object));
}
