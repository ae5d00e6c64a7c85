import type { Job, Pod } from '@coxswain/k8s';
import { judgeFailure } from './failure-policy.ts';
import { endOfPod, type JobCounts } from './plan.ts';
import { matchedSuccess } from './success-policy.ts';

/** Why a job is over, if it is. */
export type JobEnd =
  | { readonly type: 'Complete' | 'Failed'; readonly reason: string; readonly message: string }
  | undefined;

const failed = (reason: string, message: string): JobEnd => ({ type: 'Failed', reason, message });

/** The end that the job has been set on already; it stays so, whatever becomes of the pods that decided it. */
export function decidedEnd({ status }: Job): JobEnd {
  for (const { type, status: holds, reason = '', message = '' } of status?.conditions ?? []) {
    if (holds !== 'True') continue;
    if (type === 'FailureTarget') return failed(reason, message);
    if (type === 'SuccessCriteriaMet') return { type: 'Complete', reason, message };
  }
  return undefined;
}

/** The first pod that fails the whole job. */
function fatalFailure(job: Job, pods: readonly Pod[]): JobEnd {
  for (const pod of pods) {
    const verdict = endOfPod(job, pod) === 'failed' ? judgeFailure(job, pod) : undefined;
    if (verdict?.action === 'FailJob') return failed('PodFailurePolicy', verdict.message);
  }
  return undefined;
}

/** Whether the containers of pods that restart them have been started again too often. */
function restartsTooOften({ spec }: Job, { active }: JobCounts): boolean {
  if (spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = active
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return restarts >= Math.max(1, spec.backoffLimit ?? 6);
}

function isLate({ spec, status }: Job, now: number): boolean {
  const { activeDeadlineSeconds: deadline } = spec ?? {};
  const started = status?.startTime;
  return deadline !== undefined && !spec?.suspend && !!started && now - Date.parse(started) >= deadline * 1000;
}

/** Too many indexes of an indexed job have failed, or there is none left that has not ended. */
function tooManyFailed({ spec }: Job, { failedIndexes, completed }: JobCounts): JobEnd {
  const count = failedIndexes?.size ?? 0;
  if (spec?.maxFailedIndexes !== undefined && count > spec.maxFailedIndexes)
    return failed('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (count > 0 && count + completed.size >= (spec?.completions ?? 0))
    return failed('FailedIndexes', 'Job has failed indexes');
  return undefined;
}

/** Whether a job is over, and why. Failure goes before success, and what was decided before both. */
export function endOf(job: Job, counts: JobCounts, pods: readonly Pod[], now: number): JobEnd {
  const { spec } = job;
  const before = decidedEnd(job) ?? fatalFailure(job, pods);
  if (before) return before;
  if (counts.failures > (spec?.backoffLimit ?? 6) || restartsTooOften(job, counts))
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (isLate(job, now)) return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  const indexes = tooManyFailed(job, counts);
  if (indexes) return indexes;
  const success = matchedSuccess(job, counts.completed);
  if (success) return { type: 'Complete', reason: 'SuccessPolicy', message: success };
  const wanted = spec?.completions;
  const enough = wanted === undefined ? counts.succeeded > 0 && counts.active.length === 0 : counts.succeeded >= wanted;
  return enough
    ? { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}
