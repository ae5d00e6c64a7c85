import type { Pod } from '@coxswain/k8s';

/** Annotation and label of an indexed job's pods. */
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text === undefined ? undefined : Number(text);
}
