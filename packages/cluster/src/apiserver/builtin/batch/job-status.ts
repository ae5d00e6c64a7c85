import type { FieldError } from '@coxswain/schema';
import { given, listAt, numberAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { duplicate, immutableText, invalidValue, omittedValue, required } from '../shared/errors.ts';
import { nonNegative } from '../shared/values.ts';
import { parseIndexes } from './indexes.ts';

const field = (key: string): string => `status.${key}`;

/** One side of the change, with what it says about the end of the job. */
interface Side {
  readonly status: ReadJson;
  readonly is: (condition: string) => boolean;
  readonly finished: boolean;
}

function sideOf(job: ReadJson): Side {
  const status = objectAt(job, 'status') ?? {};
  const is = (condition: string) =>
    objectsAt(status, 'conditions').some(({ type, status: value }) => type === condition && value === 'True');
  return { status, is, finished: is('Complete') || is('Failed') };
}

function validateUncounted(status: ReadJson): readonly FieldError[] {
  const pods = objectAt(status, 'uncountedTerminatedPods');
  const seen = new Set<unknown>();
  return ['succeeded', 'failed'].flatMap((key) =>
    listAt(pods, key).flatMap((uid, i) => {
      const own = `${field('uncountedTerminatedPods')}.${key}[${i}]`;
      if (uid === '') return [invalidValue(own, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(own, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

const cannot = (text: string): FieldError => omittedValue(field('conditions'), `cannot set ${text}`);

/** Rules about the conditions of the end; each holds when one of the things it is about was changed. */
function validateEnd(next: Side, old: Side, changed: (...keys: readonly string[]) => boolean): readonly FieldError[] {
  const { status, is } = next;
  const turned = (...conditions: readonly string[]) =>
    conditions.some((condition) => is(condition) !== old.is(condition));
  const errors: FieldError[] = [];
  const time = field('completionTime');
  if (turned('Complete', 'Failed') && is('Complete') && is('Failed')) {
    errors.push(cannot('Complete=True and Failed=true conditions'));
  }
  if (turned('Complete', 'FailureTarget') && is('Complete') && is('FailureTarget')) {
    errors.push(cannot('Complete=True and FailureTarget=true conditions'));
  }
  if (turned('Complete') || changed('completionTime')) {
    if (given(status.completionTime) && !is('Complete')) {
      const text = 'cannot set completionTime when there is no Complete=True condition';
      errors.push(invalidValue(time, status.completionTime, text));
    }
    if (!given(status.completionTime) && is('Complete')) {
      errors.push(required(time, 'completionTime is required for Complete jobs'));
    }
  }
  if (changed('startTime', 'completionTime') && given(status.startTime) && given(status.completionTime)) {
    if (Date.parse(String(status.completionTime)) < Date.parse(String(status.startTime))) {
      errors.push(invalidValue(time, status.completionTime, 'must be equal to or after `startTime`'));
    }
  }
  if ((turned('Failed') || changed('failedIndexes')) && is('Failed') && !is('FailureTarget')) {
    errors.push(cannot('Failed=True condition without the FailureTarget=true condition'));
  }
  if (turned('Complete', 'SuccessCriteriaMet') && is('Complete') && !is('SuccessCriteriaMet')) {
    errors.push(cannot('Complete=True condition without the SuccessCriteriaMet=true condition'));
  }
  return errors;
}

/** What a finished job may no longer have. */
function validateRest(
  next: Side,
  old: Side,
  spec: ReadJson,
  changed: (...keys: readonly string[]) => boolean,
): readonly FieldError[] {
  const { status, finished } = next;
  const ended = finished !== old.finished;
  const errors: FieldError[] = [];
  if (!finished) return errors;
  const active = numberAt(status, 'active') ?? 0;
  if ((ended || changed('active')) && active > 0) {
    errors.push(invalidValue(field('active'), active, 'active>0 is invalid for finished job'));
  }
  const never = spec.suspend === true && spec.completions === 0;
  if ((ended || changed('startTime')) && !never && !given(status.startTime)) {
    errors.push(required(field('startTime'), 'startTime is required for finished job'));
  }
  const pods = objectAt(status, 'uncountedTerminatedPods');
  if (
    (ended || changed('uncountedTerminatedPods')) &&
    listAt(pods, 'failed').length + listAt(pods, 'succeeded').length > 0
  ) {
    errors.push(invalidValue(field('uncountedTerminatedPods'), pods, 'must be empty for finished job'));
  }
  return errors;
}

function validateIndexes(
  status: ReadJson,
  spec: ReadJson,
  changed: (...keys: readonly string[]) => boolean,
): readonly FieldError[] {
  const completions = numberAt(spec, 'completions');
  const done = textAt(status, 'completedIndexes');
  const { failedIndexes } = status;
  const errors: FieldError[] = [];
  const parse = (key: string, text: string) => {
    const indexes = parseIndexes(text, completions ?? 0);
    if (completions !== undefined && 'fault' in indexes) {
      errors.push(invalidValue(field(key), text, `error parsing ${key}: ${indexes.fault}`));
    }
  };
  if (changed('completedIndexes')) parse('completedIndexes', done);
  if (changed('failedIndexes') && given(failedIndexes) && given(spec.backoffLimitPerIndex)) {
    parse('failedIndexes', String(failedIndexes));
  }
  if (changed('completedIndexes') && done !== '' && spec.completionMode !== 'Indexed') {
    const text = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalidValue(field('completedIndexes'), done, text));
  }
  if (changed('failedIndexes') && given(failedIndexes) && !given(spec.backoffLimitPerIndex)) {
    const text = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalidValue(field('failedIndexes'), failedIndexes, text));
  }
  return errors;
}

function validateCriteria({ is }: Side, spec: ReadJson): readonly FieldError[] {
  const met = is('SuccessCriteriaMet');
  return [
    ...(met && is('Failed') ? [cannot('SuccessCriteriaMet=True and Failed=true conditions')] : []),
    ...(met && is('FailureTarget') ? [cannot('SuccessCriteriaMet=True and FailureTarget=true conditions')] : []),
    ...(objectAt(spec, 'successPolicy') && !met && is('Complete')
      ? [cannot('Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')]
      : []),
  ];
}

/** What cannot be taken back. */
function validateSteps(next: Side, old: Side, spec: ReadJson): readonly FieldError[] {
  const disabled = ['Failed', 'Complete', 'FailureTarget'].filter(
    (condition) => old.is(condition) && !next.is(condition),
  );
  const errors = disabled.map((condition) =>
    omittedValue(field('conditions'), `cannot disable the terminal ${condition}=True condition`),
  );
  const elastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  for (const key of ['failed', 'succeeded']) {
    const [now, before] = [numberAt(next.status, key) ?? 0, numberAt(old.status, key) ?? 0];
    if (now >= before || (key === 'succeeded' && elastic)) continue;
    errors.push(invalidValue(field(key), now, `cannot decrease the ${key} counter`));
  }
  const { completionTime } = next.status;
  if (given(completionTime) && given(old.status.completionTime) && completionTime !== old.status.completionTime) {
    errors.push(invalidValue(field('completionTime'), completionTime, immutableText));
  }
  if (old.is('SuccessCriteriaMet') && !next.is('SuccessCriteriaMet')) {
    errors.push(omittedValue(field('conditions'), 'cannot disable the SuccessCriteriaMet=True condition'));
  }
  return errors;
}

/** What a write of a Job's status may not say. Only what is changed is judged, so that old faults do not stop other writes. */
export function validateJobStatus(job: ReadJson, oldJob: ReadJson): readonly FieldError[] {
  const [next, old] = [sideOf(job), sideOf(oldJob)];
  const spec = objectAt(job, 'spec') ?? {};
  const { status } = next;
  const changed = (...keys: readonly string[]) => keys.some((key) => !sameJson(status[key], old.status[key]));
  const errors = ['active', 'succeeded', 'failed', 'ready', 'terminating'].flatMap((key) =>
    nonNegative(status[key], field(key)),
  );
  errors.push(
    ...validateUncounted(status),
    ...validateEnd(next, old, changed),
    ...validateRest(next, old, spec, changed),
    ...validateIndexes(status, spec, changed),
  );
  const [ready, active] = [numberAt(status, 'ready') ?? 0, numberAt(status, 'active') ?? 0];
  if (changed('ready', 'active') && given(status.ready) && ready > active) {
    errors.push(invalidValue(field('ready'), ready, 'cannot set more ready pods than active'));
  }
  return [...errors, ...validateCriteria(next, spec), ...validateSteps(next, old, spec)];
}
