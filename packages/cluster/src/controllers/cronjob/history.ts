import type { Job } from '@coxswain/k8s';

function started({ status }: Job): number {
  return status?.startTime ? Date.parse(status.startTime) : Number.POSITIVE_INFINITY;
}

/** Of jobs that have ended those beyond a limit: the ones that were started first. */
export function jobsToForget(ended: readonly Job[], limit: number): readonly Job[] {
  const byStart = [...ended].sort((a, b) => started(a) - started(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
  return byStart.slice(0, Math.max(0, ended.length - limit));
}
