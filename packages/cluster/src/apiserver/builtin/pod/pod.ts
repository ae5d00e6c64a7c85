import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { formatTime, invalid } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, listAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue } from '../shared/errors.ts';
import { nonNegative } from '../shared/values.ts';
import { defaultPodOnly, defaultPodSpec } from './default-spec.ts';
import { qosClass } from './qos.ts';
import { keepOfStatus } from './status-write.ts';
import { validatePodSpec } from './validate-spec.ts';
import { validatePodTemplate } from './validate-template.ts';
import { validatePodUpdate } from './validate-update.ts';
import { hostNameWarnings, podWarnings } from './warnings.ts';

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

/** What is checked of pods beyond templates. */
function validatePod(object: DynamicObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const errors = [...validatePodSpec(spec, 'spec', object.metadata as unknown as ReadJson)];
  errors.push(...nonNegative(spec.terminationGracePeriodSeconds, 'spec.terminationGracePeriodSeconds'));
  for (const key of ['containers', 'initContainers']) {
    objectsAt(spec, key).forEach((container, i) => {
      const image = textAt(container, 'image');
      if (image.trim() === image) return;
      const text = 'must not have leading or trailing whitespace';
      errors.push(invalidValue(`spec.${key}[${i}].image`, image, text));
    });
  }
  return errors;
}

function validateNewPod(object: DynamicObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec');
  if (textAt(spec, 'nodeName') === '' || objectsAt(spec, 'schedulingGates').length === 0) return [];
  return [forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')];
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

/** The condition of a pod that may not be scheduled yet. */
const gatedSince = (now: number) => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: formatTime(now),
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

export const podStrategy: Strategy = {
  default: defaultPod,
  prepareCreate(draft, context) {
    refuseEphemeral(draft);
    const gated = objectsAt(objectAt(draft, 'spec'), 'schedulingGates').length > 0;
    draft.status = {
      phase: 'Pending',
      ...(gated ? { conditions: [gatedSince(context.clock.now())] } : {}),
      qosClass: qosClass(objectAt(draft, 'spec') ?? {}),
    };
  },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') keepOfStatus(draft, old);
  },
  resets: { status: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'] },
  validate: (object, { subresource }) => (subresource === 'status' ? [] : validatePod(object)),
  validateCreate: validateNewPod,
  // Changes are made by programs, which read no warnings.
  warnings: (object, old) =>
    old ? [] : [...hostNameWarnings(object.metadata.name ?? '', "the Pod's hostname"), ...podWarnings(object)],
  validateUpdate: (object, old, { subresource }) => (subresource === '' ? validatePodUpdate(object, old) : []),
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
  validate: (object) => validatePodTemplate(objectAt(object, 'template') ?? {}, 'template'),
  warnings: (object, old) =>
    old && old.metadata.generation === object.metadata.generation
      ? []
      : podWarnings(objectAt(object, 'template') ?? {}, 'template'),
};
