import type { FieldError } from '@coxswain/schema';
import { copyJson, ensureObject, given, objectAt, objectsAt, type ReadJson, sameJson } from '../shared/draft.ts';
import { immutableText, invalidValue } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { unchanged } from '../shared/values.ts';

function validateCompletions(spec: ReadJson, old: ReadJson): readonly FieldError[] {
  const field = 'spec.completions';
  if (spec.completionMode !== 'Indexed') return unchanged(spec.completions, old.completions, field);
  if (sameJson(spec.completions, old.completions) || !given(spec.completions)) return [];
  if (spec.completions === spec.parallelism) return [];
  return [invalidValue(field, spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

/** Sets in `target` what `source` says, also when it says nothing. */
function take(target: Record<string, unknown>, source: ReadJson, keys: readonly string[]): void {
  for (const key of keys) {
    if (source[key] === undefined) delete target[key];
    else target[key] = source[key];
  }
}

/** The old template with what a suspended job that has no pods may still change. */
function withNewDirectives(old: ReadJson, template: ReadJson): ReadJson {
  const copy = copyJson(old) as Record<string, unknown>;
  const spec = ensureObject(copy, 'spec');
  const next = objectAt(template, 'spec') ?? {};
  take(spec, next, ['nodeSelector', 'tolerations', 'schedulingGates']);
  take(ensureObject(copy, 'metadata'), objectAt(template, 'metadata') ?? {}, ['labels', 'annotations']);
  const affinity = { ...objectAt(spec, 'affinity') };
  take(affinity, objectAt(next, 'affinity') ?? {}, ['nodeAffinity']);
  if (Object.keys(affinity).length > 0 || objectAt(next, 'affinity')) spec.affinity = affinity;
  else delete spec.affinity;
  for (const key of ['containers', 'initContainers']) {
    const containers = objectsAt(next, key);
    objectsAt(spec, key).forEach((container, i) => {
      if (containers[i]?.name === container.name) take(container, containers[i] ?? {}, ['resources']);
    });
  }
  return copy;
}

function hasNoPods(job: ReadJson): boolean {
  const status = objectAt(job, 'status');
  const suspended = objectsAt(status, 'conditions').some(
    ({ type, status: is }) => type === 'Suspended' && is === 'True',
  );
  return !given(status?.startTime) || (suspended && !status?.active);
}

function validateTemplate(spec: ReadJson, before: ReadJson, old: ReadJson): readonly FieldError[] {
  const template = objectAt(spec, 'template') ?? {};
  const oldTemplate = objectAt(before, 'template') ?? {};
  if (before.suspend !== true || !hasNoPods(old)) {
    if (sameJson(template, oldTemplate)) return [];
    return [invalidValue('spec.template', goValue(template, 'core.PodTemplateSpec'), immutableText)];
  }
  const next = objectAt(template, 'spec');
  if (sameJson(next, objectAt(withNewDirectives(oldTemplate, template), 'spec'))) return [];
  return [invalidValue('spec.template.spec', goValue(next, 'core.PodSpec'), immutableText)];
}

const fixed: readonly (readonly [key: string, type: string])[] = [
  ['completionMode', 's'],
  ['podFailurePolicy', '*batch.PodFailurePolicy'],
  ['backoffLimitPerIndex', '*n'],
  ['managedBy', '*s'],
  ['successPolicy', '*batch.SuccessPolicy'],
];

/** What an update of a Job may not change. */
export function validateJobUpdate(object: ReadJson, old: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const before = objectAt(old, 'spec') ?? {};
  const errors = [...validateCompletions(spec, before)];
  if (!sameJson(spec.selector, before.selector)) {
    errors.push(invalidValue('spec.selector', goValue(spec.selector, 'x'), immutableText));
  }
  errors.push(...validateTemplate(spec, before, old));
  for (const [key, type] of fixed) {
    if (!sameJson(spec[key] ?? undefined, before[key] ?? undefined)) {
      errors.push(invalidValue(`spec.${key}`, goValue(spec[key], type), immutableText));
    }
  }
  return errors;
}
