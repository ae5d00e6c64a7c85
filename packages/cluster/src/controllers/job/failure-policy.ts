import type { Job, Pod, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule } from '@coxswain/k8s';

/** What a rule of a job's `podFailurePolicy` says of a failed pod. */
export interface FailureVerdict {
  readonly action: string;
  /** Why the whole job fails, with the action `FailJob`. */
  readonly message: string;
}

function matchesCode(code: number, { operator, values }: PodFailurePolicyOnExitCodesRequirement): boolean {
  const listed = values.includes(code);
  return operator === 'In' ? listed : operator === 'NotIn' && !listed;
}

/** The container whose exit code a rule is about; one that ended well, or has not ended, is none. */
function failedContainer({ status }: Pod, wanted: PodFailurePolicyOnExitCodesRequirement) {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0;
    const named = wanted.containerName === undefined || wanted.containerName === name;
    return code !== 0 && named && matchesCode(code, wanted);
  });
}

function matched(pod: Pod, { action, onExitCodes, onPodConditions }: PodFailurePolicyRule, index: number) {
  const { namespace, name } = pod.metadata;
  const rule = `matching ${action} rule at index ${index}`;
  if (onExitCodes) {
    const container = failedContainer(pod, onExitCodes);
    const code = container?.state?.terminated?.exitCode;
    return (
      container && `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code} ${rule}`
    );
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  );
  return condition && `Pod ${namespace}/${name} has condition ${condition.type} ${rule}`;
}

/** The first rule that a failed pod matches; `undefined` when none does: it counts as any other. */
export function judgeFailure({ spec }: Job, pod: Pod): FailureVerdict | undefined {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const message = matched(pod, rule, index);
    if (message) return { action: rule.action, message };
  }
  return undefined;
}

/**
 * Whether a pod that is being deleted is waited for: it has failed, and is replaced, only when it has ended. Rules about how pods fail
 * need to know how they did.
 */
export function waitsForEnd({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}
