import type { Job, Pod } from '@coxswain/k8s';
import { controllerOf } from '@coxswain/runtime/controller';

/**
 * Whether the pod of a Job can answer, and the reason when it does not:
 * - `runs`: its program runs.
 * - `waits`: it does not run yet, so nothing has been done; goes on by itself once what it waits for is there.
 */
export type PodState =
  | { readonly is: 'runs'; readonly reason: 'StatusUnreachable' }
  | { readonly is: 'waits'; readonly reason: 'SecretMissing' | 'PodNotRunning'; readonly message: string };

/** What containers wait for when a variable or a mount of theirs cannot be made. */
const cannotBeMade = 'CreateContainerConfigError';

function waits(message: string, isSecret = false): PodState {
  return { is: 'waits', reason: isSecret ? 'SecretMissing' : 'PodNotRunning', message };
}

const isPodOf = (pod: Pod, job: Job) => controllerOf(pod)?.uid === job.metadata.uid;

/** A pod that may answer in place of the Job's own: that of an earlier Job of its name, which still ends. */
export function strangerAmong(pods: readonly Pod[], job: Job): Pod | undefined {
  const isOver = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return pods.find((pod) => !isPodOf(pod, job) && !isOver(pod));
}

/** @param pods those with the name of the Job */
export function podState(pods: readonly Pod[], job: Job): PodState {
  const stranger = strangerAmong(pods, job);
  if (stranger) return waits(`pod ${stranger.metadata.name}, which may answer in its place, is not gone yet`);
  const pod = pods.find((candidate) => isPodOf(candidate, job));
  if (!pod) return waits('it has no pod yet');
  const { metadata, status } = pod;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const waiting = containers.find(({ state }) => state?.waiting)?.state?.waiting;
  if (waiting) {
    const { reason = '', message = '' } = waiting;
    const isSecret = reason === cannotBeMade && /secret/i.test(message);
    return waits(`pod ${metadata.name} waits: ${[reason, message].filter(Boolean).join(': ')}`, isSecret);
  }
  if (containers.length > 0) return { is: 'runs', reason: 'StatusUnreachable' };
  const unscheduled = status?.conditions?.find(
    ({ type, status: holds }) => type === 'PodScheduled' && holds === 'False',
  );
  return waits(`pod ${metadata.name} does not run yet${unscheduled?.message ? `: ${unscheduled.message}` : ''}`);
}
