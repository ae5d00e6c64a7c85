import type { FieldError } from '@coxswain/schema';
import {
  copyJson,
  listAt,
  mapAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { forbiddenField, invalidValue } from '../shared/errors.ts';
import { goDiff } from '../shared/go-diff.ts';
import { goValue } from '../shared/go-value.ts';
import { rangeText } from '../shared/names.ts';
import { validateTolerations } from './validate-toleration.ts';

const fixedText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

/** Errors; `stop` when nothing that follows can be judged. */
interface Verdict {
  readonly errors: readonly FieldError[];
  readonly stop: boolean;
}

function validateCount(spec: ReadJson, old: ReadJson, key: string): Verdict {
  const field = `spec.${key}`;
  if (objectsAt(spec, key).length !== objectsAt(old, key).length) {
    return { errors: [forbiddenField(field, 'pod updates may not add or remove containers')], stop: true };
  }
  return { errors: [], stop: false };
}

function validateDeadline(spec: ReadJson, old: ReadJson): Verdict {
  const [next, before] = [numberAt(spec, 'activeDeadlineSeconds'), numberAt(old, 'activeDeadlineSeconds')];
  const field = 'spec.activeDeadlineSeconds';
  if (next === undefined) {
    const text = 'must not update from a positive integer to nil value';
    return { errors: before === undefined ? [] : [invalidValue(field, null, text)], stop: false };
  }
  if (next < 0 || next > 2147483647)
    return { errors: [invalidValue(field, next, rangeText(0, 2147483647))], stop: true };
  if (before === undefined || next <= before) return { errors: [], stop: false };
  return { errors: [invalidValue(field, next, 'must be less than or equal to previous value')], stop: true };
}

function addedTolerations(spec: ReadJson, old: ReadJson): readonly FieldError[] {
  const field = 'spec.tolerations';
  const kept = objectsAt(spec, 'tolerations').map(({ tolerationSeconds: _, ...rest }) => rest);
  const lost = objectsAt(old, 'tolerations').some(({ tolerationSeconds: _, ...before }) => {
    return !kept.some((toleration) => sameJson(toleration, before));
  });
  if (lost) return [forbiddenField(field, 'existing toleration can not be modified except its tolerationSeconds')];
  return validateTolerations(spec, field);
}

function removedGates(spec: ReadJson, old: ReadJson): readonly FieldError[] {
  const before = new Set(objectsAt(old, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, i) => {
    const name = textAt(gate, 'name');
    if (before.has(name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbiddenField(`spec.schedulingGates[${i}].name`, text)];
  });
}

const [affinityKey, requiredTerms] = ['nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];

/** Terms of a gated pod may only become stricter. */
function stricterTerms(next: ReadJson | undefined, old: ReadJson | undefined): readonly FieldError[] {
  const field = `spec.affinity.${affinityKey}.${requiredTerms}`;
  const before = objectAt(old, requiredTerms);
  if (!before) return [];
  const after = objectAt(next, requiredTerms);
  const terms = objectsAt(after, 'nodeSelectorTerms');
  const oldTerms = objectsAt(before, 'nodeSelectorTerms');
  if (terms.length !== oldTerms.length) {
    const text = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [
      invalidValue(`${field}.nodeSelectorTerms`, goValue(after?.nodeSelectorTerms, '[]core.NodeSelectorTerm'), text),
    ];
  }
  return terms.flatMap((term, i) => {
    const oldTerm = oldTerms[i] ?? {};
    const kept = ['matchExpressions', 'matchFields'].every((key) =>
      listAt(oldTerm, key).every((rule, j) => sameJson(rule, listAt(term, key)[j])),
    );
    const empty = listAt(oldTerm, 'matchExpressions').length + listAt(oldTerm, 'matchFields').length === 0;
    if (empty ? sameJson(term, oldTerm) : kept) return [];
    const text = 'only additions are allowed (no mutations or deletions)';
    return [invalidValue(`${field}.nodeSelectorTerms[${i}]`, goValue(term, 'core.NodeSelectorTerm'), text)];
  });
}

/** What a gated pod may still narrow: node selector and node affinity. Sets both back in `adjusted`. */
function validateGated(adjusted: Record<string, unknown>, old: ReadJson): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [labels, before] = [mapAt(adjusted, 'nodeSelector'), mapAt(old, 'nodeSelector')];
  if (Object.entries(before).some(([key, value]) => labels[key] !== value)) {
    const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalidValue('spec.nodeSelector', adjusted.nodeSelector, text));
  }
  adjusted.nodeSelector = old.nodeSelector;
  const next = objectAt(objectAt(adjusted, 'affinity'), affinityKey);
  const previous = objectAt(objectAt(old, 'affinity'), affinityKey);
  if (sameJson(next, previous)) return errors;
  errors.push(...stricterTerms(next, previous));
  const rest = { ...objectAt(adjusted, 'affinity'), [affinityKey]: previous };
  const bare = !objectAt(old, 'affinity') && !rest.podAffinity && !rest.podAntiAffinity;
  adjusted.affinity = bare ? undefined : rest;
  return errors;
}

/** The new spec with everything that may change set back to the old. */
function withMutableFields(next: ReadJson, old: ReadJson): Record<string, unknown> {
  const adjusted = copyJson(next) as Record<string, unknown>;
  for (const key of ['containers', 'initContainers']) {
    const before = objectsAt(old, key);
    objectsAt(adjusted, key).forEach((container, i) => {
      if (before[i]) container.image = before[i].image;
    });
  }
  for (const key of ['tolerations', 'activeDeadlineSeconds', 'schedulingGates']) adjusted[key] = old[key];
  if (Number(old.terminationGracePeriodSeconds) < 0 && next.terminationGracePeriodSeconds === 1) {
    adjusted.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  return adjusted;
}

/** What an update of a pod may not change. */
export function validatePodUpdate(object: ReadJson, old: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const before = objectAt(old, 'spec') ?? {};
  const errors: FieldError[] = [];
  const steps = [
    () => validateCount(spec, before, 'containers'),
    () => validateCount(spec, before, 'initContainers'),
    () => validateDeadline(spec, before),
  ];
  for (const step of steps) {
    const verdict = step();
    errors.push(...verdict.errors);
    if (verdict.stop) return errors;
  }
  errors.push(...addedTolerations(spec, before), ...removedGates(spec, before));
  const adjusted = withMutableFields(spec, before);
  if (listAt(before, 'schedulingGates').length > 0) errors.push(...validateGated(adjusted, before));
  if (sameJson(adjusted, before)) return errors;
  const difference = goDiff(goValue(before, 'core.PodSpec'), goValue(adjusted, 'core.PodSpec'));
  return [...errors, forbiddenField('spec', `${fixedText}${difference}`)];
}
