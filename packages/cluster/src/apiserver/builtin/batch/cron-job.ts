import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { workloadWarnings } from '../pod/warnings.ts';
import { ensureObject, fill, fillZero, given, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { nonNegative } from '../shared/values.ts';
import { defaultJobSpec } from './job.ts';
import { scheduleFault } from './schedule.ts';
import { validateJobSpec } from './validate-job.ts';

const policies = ['Allow', 'Forbid', 'Replace'];

function defaultCronJob(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  fillZero(spec, 'concurrencyPolicy', 'Allow');
  fill(spec, 'suspend', false);
  fill(spec, 'successfulJobsHistoryLimit', 3);
  fill(spec, 'failedJobsHistoryLimit', 1);
  const template = ensureObject(spec, 'jobTemplate');
  ensureObject(template, 'metadata');
  const jobSpec = ensureObject(template, 'spec');
  defaultCronJobSpec(jobSpec);
  ensureObject(draft, 'status');
}

/** Job defaults belong to jobs: a CronJob keeps its template as written, pods apart. */
function defaultCronJobSpec(jobSpec: MutableJson): void {
  const completed: MutableJson = { template: jobSpec.template ?? {} };
  defaultJobSpec(completed);
  jobSpec.template = completed.template;
}

function validateSchedule(spec: ReadJson): readonly FieldError[] {
  const schedule = textAt(spec, 'schedule');
  if (schedule === '') return [];
  if (schedule.includes('TZ')) {
    const text = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [invalidValue('spec.schedule', schedule, text)];
  }
  const fault = scheduleFault(schedule);
  return fault === undefined ? [] : [invalidValue('spec.schedule', schedule, fault)];
}

function validateTimeZone(spec: ReadJson): readonly FieldError[] {
  if (!given(spec.timeZone)) return [];
  const zone = String(spec.timeZone);
  if (zone === '') return [invalidValue('spec.timeZone', zone, 'timeZone must be nil or non-empty string')];
  if (zone.toLowerCase() === 'local') {
    return [
      invalidValue(
        'spec.timeZone',
        zone,
        'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ),
    ];
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return [];
  } catch {
    return [invalidValue('spec.timeZone', zone, `unknown time zone ${zone}`)];
  }
}

/** The selectors of jobs are made with them. */
function validateNoSelector(jobSpec: ReadJson): readonly FieldError[] {
  const field = 'spec.jobTemplate.spec';
  const errors: FieldError[] = [];
  if (jobSpec.manualSelector === true) errors.push(notSupported(`${field}.manualSelector`, true, ['nil', 'false']));
  if (!objectAt(jobSpec, 'selector')) return errors;
  const text = '`selector` will be auto-generated';
  return [...errors, invalidValue(`${field}.selector`, goValue(jobSpec.selector, 'x'), text)];
}

function validateCronJob(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const errors = [...validateSchedule(spec)];
  errors.push(...nonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'));
  errors.push(...validateTimeZone(spec));
  const policy = textAt(spec, 'concurrencyPolicy');
  if (!policies.includes(policy)) errors.push(notSupported('spec.concurrencyPolicy', policy, policies));
  const jobSpec = objectAt(objectAt(spec, 'jobTemplate'), 'spec') ?? {};
  errors.push(...validateJobSpec(jobSpec, 'spec.jobTemplate.spec'), ...validateNoSelector(jobSpec));
  errors.push(...nonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'));
  errors.push(...nonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'));
  if (textAt(spec, 'schedule') === '') errors.push(required('spec.schedule'));
  const name = textAt(objectAt(object, 'metadata'), 'name');
  // Eleven characters are kept for the time that is put behind the name of each job.
  if (name.length > 52) errors.push(invalidValue('metadata.name', name, 'must be no more than 52 characters'));
  return errors;
}

export const cronJobStrategy: Strategy = {
  default: defaultCronJob,
  validate: validateCronJob,
  warnings: (object, old) => workloadWarnings(object, old, 'spec.jobTemplate.spec.template'),
};
