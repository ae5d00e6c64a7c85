import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { type Clock, formatTime } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { checkConditions } from '../shared/conditions.ts';
import { ensureObject, fill, given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { checkDriver, checkLabelName, checkPool, tooMany } from './lists.ts';
import { checkTaint } from './taints.ts';

const mostConditions = 8;

const taintOf = (object: ReadJson) => objectAt(objectAt(object, 'spec'), 'taint');

/** A taint counts from when its effect came. */
export function stampTaint(taint: MutableJson | undefined, clock: Clock | undefined): void {
  if (taint && clock) fill(taint, 'timeAdded', formatTime(clock.now()));
}

function selectorErrors(selector: ReadJson | undefined): readonly FieldError[] {
  const checks = { driver: checkDriver, pool: checkPool, device: checkLabelName };
  return Object.entries(checks).flatMap(([key, check]) =>
    given(selector?.[key]) ? check(textAt(selector, key), `spec.deviceSelector.${key}`) : [],
  );
}

/** What `/status` may not say. */
export function taintRuleStatus(object: ReadJson): readonly FieldError[] {
  const conditions = objectsAt(objectAt(object, 'status'), 'conditions');
  const errors = [...checkConditions(conditions, 'status.conditions')];
  if (conditions.length > mostConditions) {
    errors.push(tooMany('status.conditions', conditions.length, mostConditions));
  }
  return errors;
}

function changedEffect(draft: MutableJson, old: DynamicObject): boolean {
  const [taint, before] = [taintOf(draft), taintOf(old)];
  return taint?.effect !== before?.effect && taint?.timeAdded === before?.timeAdded;
}

export const deviceTaintRuleStrategy: Strategy = {
  resets: statusOnlyResets,
  default(draft, clock) {
    ensureObject(draft, 'status');
    stampTaint(taintOf(draft), clock);
  },
  prepareUpdate(draft, old, context) {
    if (context.subresource === 'status') {
      restoreMetadata(draft, old);
      return;
    }
    const taint = taintOf(draft);
    if (taint && changedEffect(draft, old)) delete taint.timeAdded;
    stampTaint(taint, context.clock);
  },
  validateRules(object, old, _found, { subresource }) {
    if (subresource === 'status') return [];
    const before = old && textAt(taintOf(old), 'effect');
    return [
      ...selectorErrors(objectAt(objectAt(object, 'spec'), 'deviceSelector')),
      ...checkTaint(taintOf(object) ?? {}, 'spec.taint', before),
    ];
  },
};
