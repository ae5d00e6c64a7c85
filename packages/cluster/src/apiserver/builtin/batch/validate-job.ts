import type { FieldError } from '@coxswain/schema';
import { validatePodTemplate } from '../pod/validate-template.ts';
import { given, mapAt, numberAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required, tooLong } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { dnsLabel, domainPrefixedPath } from '../shared/names.ts';
import { selectsLabels, validateLabelSelector } from '../shared/selectors.ts';
import { nonNegative } from '../shared/values.ts';
import { validateFailurePolicy, validateSuccessPolicy } from './policies.ts';

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];
const modes = ['NonIndexed', 'Indexed'];
/** Limits of jobs with indexes: pods at once, failed indexes; and from how many completions on they are lower. */
const [mostParallel, mostFailed, manyCompletions, fewer] = [100_000, 100_000, 100_000, 10_000];

function validateIndexed(spec: ReadJson, field: string): readonly FieldError[] {
  const [completions, parallelism, failed] = ['completions', 'parallelism', 'maxFailedIndexes'].map((key) =>
    numberAt(spec, key),
  );
  const errors: FieldError[] = [];
  const tooMuch = (key: string, value: number, text: string) =>
    errors.push(invalidValue(`${field}.${key}`, value, `must be less than or equal to ${text}`));
  if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  if (parallelism !== undefined && parallelism > mostParallel) {
    tooMuch('parallelism', parallelism, `${mostParallel} when completion mode is Indexed`);
  }
  if (completions !== undefined && failed !== undefined && failed > completions) {
    tooMuch('maxFailedIndexes', failed, 'completions');
  }
  if (failed !== undefined && failed > mostFailed) tooMuch('maxFailedIndexes', failed, String(mostFailed));
  if ((completions ?? 0) <= manyCompletions || !given(spec.backoffLimitPerIndex)) return errors;
  const many = `${fewer} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (failed === undefined) {
    errors.push(
      required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${manyCompletions}`),
    );
  }
  if (parallelism !== undefined && parallelism > fewer) tooMuch('parallelism', parallelism, many);
  if (failed !== undefined && failed > fewer) tooMuch('maxFailedIndexes', failed, many);
  return errors;
}

/** What depends on how completions are counted. */
function validateMode(spec: ReadJson, field: string): readonly FieldError[] {
  const mode = spec.completionMode;
  const errors: FieldError[] = [];
  if (given(mode) && !modes.includes(String(mode))) errors.push(notSupported(`${field}.completionMode`, mode, modes));
  if (mode === 'Indexed') errors.push(...validateIndexed(spec, field));
  if (given(mode) && mode !== 'NonIndexed') return errors;
  const text = 'requires indexed completion mode';
  for (const key of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
    if (given(spec[key])) errors.push(invalidValue(`${field}.${key}`, spec[key], text));
  }
  return errors;
}

function validatePolicies(spec: ReadJson, field: string): readonly FieldError[] {
  const errors = [...validateFailurePolicy(spec, `${field}.podFailurePolicy`)];
  if (objectAt(spec, 'successPolicy')) {
    if (spec.completionMode === 'Indexed') errors.push(...validateSuccessPolicy(spec, `${field}.successPolicy`));
    else {
      const shown = goValue(spec.successPolicy, 'batch.SuccessPolicy');
      errors.push(invalidValue(`${field}.successPolicy`, shown, 'requires indexed completion mode'));
    }
  }
  const replacement = spec.podReplacementPolicy;
  const words = objectAt(spec, 'podFailurePolicy') ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (given(replacement) && !words.includes(String(replacement))) {
    errors.push(notSupported(`${field}.podReplacementPolicy`, replacement, words));
  }
  return errors;
}

function validateRestart(spec: ReadJson, field: string): readonly FieldError[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  const own = `${field}.template.spec.restartPolicy`;
  if (policy === 'Always' || policy === '') return [required(own, 'valid values: "OnFailure", "Never"')];
  if (!['OnFailure', 'Never'].includes(policy)) return [notSupported(own, policy, ['OnFailure', 'Never'])];
  if (!objectAt(spec, 'podFailurePolicy') || policy === 'Never') return [];
  return [invalidValue(own, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** The parts of a JobSpec that do not depend on its selector. */
export function validateJobSpec(spec: ReadJson, field: string): readonly FieldError[] {
  const errors = counts.flatMap((key) => nonNegative(spec[key], `${field}.${key}`));
  if (given(spec.maxFailedIndexes) && !given(spec.backoffLimitPerIndex)) {
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (given(spec.managedBy)) {
    const manager = String(spec.managedBy);
    errors.push(...domainPrefixedPath(manager, `${field}.managedBy`));
    if (manager.length > 63) errors.push(tooLong(`${field}.managedBy`, 63));
  }
  return [
    ...errors,
    ...validateMode(spec, field),
    ...validatePolicies(spec, field),
    ...validatePodTemplate(objectAt(spec, 'template'), `${field}.template`),
    ...validateRestart(spec, field),
  ];
}

/** The labels that go with a selector of the server's making. */
function validateGenerated(job: ReadJson, spec: ReadJson): readonly FieldError[] {
  const selector = objectAt(spec, 'selector');
  if (spec.manualSelector === true || !selector) return [];
  const { uid, name } = objectAt(job, 'metadata') ?? {};
  const expected: Readonly<Record<string, string>> = {
    'controller-uid': String(uid),
    'job-name': String(name),
    'batch.kubernetes.io/controller-uid': String(uid),
    'batch.kubernetes.io/job-name': String(name),
  };
  const metadata = objectAt(objectAt(spec, 'template'), 'metadata');
  const labels = mapAt(metadata, 'labels');
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(expected)) {
    const own = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) errors.push(required(own, `must be '${value}'`));
    else if (labels[key] !== value) errors.push(invalidValue(own, goValue(labels, '{}s'), `must be '${value}'`));
  }
  if (selectsLabels(selector, expected)) return errors;
  return [...errors, invalidValue('spec.selector', goValue(selector, 'x'), '`selector` not auto-generated')];
}

/** A new Job's selector must be the one the server made, unless the user took charge. */
export function validateNewJob(job: ReadJson): readonly FieldError[] {
  return validateGenerated(job, objectAt(job, 'spec') ?? {});
}

/** Pods of an indexed job are called after it and their index. */
export function validateJobName(job: ReadJson): readonly FieldError[] {
  const spec = objectAt(job, 'spec');
  const completions = numberAt(spec, 'completions') ?? 0;
  if (spec?.completionMode !== 'Indexed' || completions <= 0) return [];
  const name = textAt(objectAt(job, 'metadata'), 'name');
  const host = `${name}-${completions - 1}`;
  if (dnsLabel(host).length === 0) return [];
  return [invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${host}`)];
}

/** A whole Job. */
export function validateJob(job: ReadJson): readonly FieldError[] {
  const spec = objectAt(job, 'spec') ?? {};
  const selector = objectAt(spec, 'selector');
  const errors = [...validateJobSpec(spec, 'spec')];
  if (selector) errors.push(...validateLabelSelector(selector, 'spec.selector'));
  else errors.push(required('spec.selector'));
  const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  if (!selector || !selectsLabels(selector, mapAt({ labels }, 'labels'))) {
    const text = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', goValue(labels, '{}s'), text));
  }
  return errors;
}
