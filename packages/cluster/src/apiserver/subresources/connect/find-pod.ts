import type { Pod } from '@coxswain/k8s';
import { notFound } from '@coxswain/runtime/core';
import type { Storage } from '../../../storage/types.ts';
import type { PodReference } from '../../nodes.ts';

/** @throws ApiError NotFound */
export function findPod(storage: Storage, namespace: string, name: string): Pod {
  const pod = storage.get({ resource: '/pods', namespace, name });
  if (!pod) throw notFound({ group: '', plural: 'pods' }, name);
  return pod as Pod;
}

export function referenceOf({ metadata }: Pod): PodReference {
  return { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' };
}
