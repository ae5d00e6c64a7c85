import { compareQuantities, formatQuantity, type Quantity, subtractQuantities } from '@coxswain/runtime/core';
import { type Amounts, amountsAt, type Evaluator, only, selectorsOf, sumOf } from '../../../usage/index.ts';
import { objectAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes } from '../../types.ts';

/** A quota and what is used of it with the write. */
export interface Charge {
  readonly quota: ReadJson;
  readonly used: Amounts;
}

type Write = Pick<AdmissionAttributes, 'object' | 'old' | 'subresource'>;

const nameOf = (quota: ReadJson): string => textAt(objectAt(quota, 'metadata'), 'name');

function text(amounts: Amounts): string {
  const parts = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return parts.map(([name, quantity]) => `${name}=${formatQuantity(quantity)}`).join(',');
}

function covers(quota: ReadJson, evaluator: Evaluator, object: ReadJson): boolean {
  const hard = [...amountsAt(objectAt(quota, 'status'), 'hard').keys()];
  if (evaluator.matching(hard).length === 0) return false;
  return selectorsOf(quota).every((selector) => evaluator.inScope(selector, object));
}

/** What a write adds. What it frees is given back by the controller. */
function added(usage: Amounts, before: Amounts | undefined): Map<string, Quantity> {
  const result = new Map<string, Quantity>();
  for (const [name, quantity] of usage) {
    const earlier = before?.get(name);
    const more = earlier ? subtractQuantities(quantity, earlier) : quantity;
    if (more.nano > 0n) result.set(name, more);
  }
  return result;
}

/** Why a quota cannot take the object at all. */
function refusal(quota: ReadJson, evaluator: Evaluator, object: ReadJson): string | undefined {
  const status = objectAt(quota, 'status');
  const names = evaluator.matching([...amountsAt(status, 'hard').keys()]);
  const why = evaluator.refusal(names, object);
  if (why !== undefined) return `failed quota: ${nameOf(quota)}: ${why}`;
  const used = amountsAt(status, 'used');
  if (names.every((name) => used.has(name))) return undefined;
  return `status unknown for quota: ${nameOf(quota)}, resources: ${[...names].sort().join(',')}`;
}

/** The charge of one quota, or why it is exceeded. `undefined`: the write adds nothing to it. */
function charge(quota: ReadJson, more: Amounts, subresource: string): Charge | string | undefined {
  const status = objectAt(quota, 'status');
  const hard = amountsAt(status, 'hard');
  const used = amountsAt(status, 'used');
  const requested = only(more, hard.keys());
  if (requested.size === 0) return undefined;
  const next = sumOf(used, requested);
  const exceeded = [...requested.keys()].filter((name) => {
    const [amount, limit] = [next.get(name), hard.get(name)];
    return amount !== undefined && limit !== undefined && compareQuantities(amount, limit) > 0;
  });
  if (exceeded.length === 0 || subresource === 'status') return { quota, used: next };
  const part = (amounts: Amounts) => text(only(amounts, exceeded));
  return `exceeded quota: ${nameOf(quota)}, requested: ${part(requested)}, used: ${part(used)}, limited: ${part(hard)}`;
}

/** What a write is charged to each quota of its namespace, or why it is refused. */
export function chargesFor(
  quotas: readonly ReadJson[],
  evaluator: Evaluator,
  { object = {}, old, subresource }: Write,
): readonly Charge[] | string {
  const before = old as ReadJson | undefined;
  const interested = quotas.filter((quota) => covers(quota, evaluator, object));
  for (const quota of interested) {
    const why = refusal(quota, evaluator, object);
    if (why !== undefined) return why;
  }
  if (interested.length === 0) return [];
  const usage = evaluator.usage(object);
  const negative = [...usage].filter(([, { nano }]) => nano < 0n).map(([name]) => name);
  if (negative.length > 0) return `quota usage is negative for resource(s): ${negative.sort().join(',')}`;
  const charges: Charge[] = [];
  for (const quota of interested) {
    const counted = before && covers(quota, evaluator, before) ? evaluator.usage(before) : undefined;
    const made = charge(quota, added(usage, counted), subresource);
    if (typeof made === 'string') return made;
    if (made) charges.push(made);
  }
  return charges;
}
