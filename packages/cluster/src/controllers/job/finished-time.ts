import type { Pod } from '@coxswain/k8s';

/** When a pod ended, in milliseconds since the epoch: its last container, else when it was not ready any more, was to go, or was made. */
export function finishedTime({ metadata, spec, status }: Pod): number {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const containers = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const ends = containers.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  if (ends.length > 0 && ends.every((end) => end > 0)) return Math.max(...ends);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const unready = ready?.status === 'False' ? Date.parse(ready.lastTransitionTime ?? '') : Number.NaN;
  if (unready > 0) return unready;
  const deleted = Date.parse(metadata.deletionTimestamp ?? '');
  if (deleted > 0) return deleted - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
