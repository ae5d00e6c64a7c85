import type { KubeObject } from '@coxswain/k8s';

/** Preconditions of a delete that is to meet an object just as it was seen: another of its name, or a later version, is a conflict. */
export function asSeen({ metadata }: Pick<KubeObject, 'metadata'>): {
  readonly uid?: string;
  readonly resourceVersion?: string;
} {
  const { uid, resourceVersion } = metadata;
  return { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}
