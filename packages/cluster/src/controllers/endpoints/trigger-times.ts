import type { Pod, Service } from '@coxswain/k8s';

/** Annotation: when what the endpoints follow changed, so that one can tell how far they lag behind. */
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Known {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

function readyChange({ status }: Pod): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
}

/** Remembers when services and their pods were last seen to change. Times are RFC 3339 with the same precision, so they compare as texts. */
export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** The earliest change since the last call for this service; its creation at the first; `undefined` when nothing changed. */
  next(key: string, service: Service, pods: Iterable<Pod>): string | undefined {
    const before = this.#known.get(key);
    const created = service.metadata.creationTimestamp ?? '';
    const times = new Map<string, string>();
    let earliest: string | undefined;
    const consider = (time: string) => {
      if (earliest === undefined || time < earliest) earliest = time;
    };
    for (const pod of pods) {
      const time = readyChange(pod);
      if (!time) continue;
      times.set(pod.metadata.name, time);
      if (time > (before?.pods.get(pod.metadata.name) ?? '')) consider(time);
    }
    if (created > (before?.service ?? '')) consider(created);
    this.#known.set(key, { service: created, pods: times });
    return before ? earliest : created || undefined;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}

/** Annotations with the trigger time set, or taken away. */
export function stamped(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _old, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTimeAnnotation]: time };
}
