import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { invalid } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  copyJson,
  ensureObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { forbiddenField, invalidValue } from '../shared/errors.ts';
import { nonNegative } from '../shared/values.ts';
import { defaultPodOnly, defaultPodSpec } from './default-spec.ts';
import { qosClass } from './qos.ts';
import { validatePodSpec } from './validate-spec.ts';

function defaultPod(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  defaultPodSpec(spec);
  defaultPodOnly(spec);
  const status = objectAt(draft, 'status');
  if (!status) return;
  const ip = textAt(status, 'podIP');
  const first = textAt(objectsAt(status, 'podIPs')[0], 'ip');
  if (ip !== '' && ip !== first) status.podIPs = [{ ip }];
  else if (ip === '' && first !== '') status.podIP = first;
}

/** What may differ between the stored and the new spec; everything else is fixed once the pod exists. */
function withMutableFields(next: ReadJson, old: ReadJson): MutableJson {
  const adjusted = copyJson(next) as MutableJson;
  for (const key of ['containers', 'initContainers']) {
    const before = objectsAt(old, key);
    objectsAt(adjusted, key).forEach((container, i) => {
      const stored = before[i];
      if (stored) container.image = stored.image;
    });
  }
  adjusted.tolerations = old.tolerations;
  adjusted.activeDeadlineSeconds = old.activeDeadlineSeconds;
  adjusted.schedulingGates = old.schedulingGates;
  if (old.terminationGracePeriodSeconds === -1 && next.terminationGracePeriodSeconds === 1) {
    adjusted.terminationGracePeriodSeconds = -1;
  }
  if (objectsAt(old, 'schedulingGates').length > 0) {
    adjusted.nodeSelector = old.nodeSelector;
    adjusted.affinity = old.affinity;
  }
  return adjusted;
}

const fixedSpecText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

function validateTolerationChange(spec: ReadJson, old: ReadJson): readonly FieldError[] {
  const kept = objectsAt(spec, 'tolerations').map(({ tolerationSeconds: _, ...rest }) => rest);
  const lost = objectsAt(old, 'tolerations').some(({ tolerationSeconds: _, ...before }) => {
    return !kept.some((toleration) => sameJson(toleration, before));
  });
  return lost
    ? [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
    : [];
}

function validateDeadline(spec: ReadJson, old: ReadJson): readonly FieldError[] {
  const [next, before] = [numberAt(spec, 'activeDeadlineSeconds'), numberAt(old, 'activeDeadlineSeconds')];
  const field = 'spec.activeDeadlineSeconds';
  if (next === undefined)
    return before === undefined
      ? []
      : [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  if (next < 0) return nonNegative(next, field);
  if (before === undefined || next <= before) return [];
  return [invalidValue(field, next, `must be less than or equal to previous value`)];
}

function validatePodUpdate(object: DynamicObject, old: DynamicObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const before = objectAt(old, 'spec') ?? {};
  const errors: FieldError[] = [];
  if (objectsAt(spec, 'containers').length !== objectsAt(before, 'containers').length) {
    errors.push(forbiddenField('spec.containers', 'pod updates may not add or remove containers'));
  }
  if (objectsAt(spec, 'initContainers').length !== objectsAt(before, 'initContainers').length) {
    errors.push(forbiddenField('spec.initContainers', 'pod updates may not add or remove containers'));
  }
  if (errors.length > 0) return errors;
  errors.push(...validateTolerationChange(spec, before), ...validateDeadline(spec, before));
  if (!sameJson(withMutableFields(spec, before), before)) errors.push(forbiddenField('spec', fixedSpecText));
  return errors;
}

/** Ephemeral containers come later, through their own subresource. */
function refuseEphemeral(draft: MutableJson): void {
  if (listAt(objectAt(draft, 'spec'), 'ephemeralContainers').length === 0) return;
  const name = textAt(objectAt(draft, 'metadata'), 'name');
  throw invalid('', 'Pod', name, [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]);
}

function isTerminal(pod: ReadJson): boolean {
  return ['Failed', 'Succeeded'].includes(textAt(objectAt(pod, 'status'), 'phase'));
}

export const podStrategy: Strategy = {
  default: defaultPod,
  prepareCreate(draft) {
    refuseEphemeral(draft);
    draft.status = { phase: 'Pending', qosClass: qosClass(objectAt(draft, 'spec') ?? {}) };
  },
  prepareUpdate(draft, old, { subresource }) {
    const known = objectAt(old, 'status')?.qosClass;
    const status = objectAt(draft, 'status');
    if (subresource === 'status' && status && known !== undefined) status.qosClass ??= known;
  },
  validate: (object, { subresource }) =>
    subresource === 'status' ? [] : validatePodSpec(objectAt(object, 'spec') ?? {}, 'spec'),
  validateUpdate(object, old, { subresource }) {
    return subresource === '' ? validatePodUpdate(object, old) : [];
  },
  gracePeriod(pod, requested) {
    const own = numberAt(objectAt(pod, 'spec'), 'terminationGracePeriodSeconds') ?? 30;
    const wanted = requested ?? own;
    if (textAt(objectAt(pod, 'spec'), 'nodeName') === '' || isTerminal(pod)) return 0;
    return wanted < 0 ? 1 : wanted;
  },
};

export const podTemplateStrategy: Strategy = {
  default(draft) {
    const template = ensureObject(draft, 'template');
    ensureObject(template, 'metadata');
    defaultPodSpec(ensureObject(template, 'spec'));
  },
};
