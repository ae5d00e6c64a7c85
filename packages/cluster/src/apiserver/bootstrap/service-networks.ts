import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { StorageSubscription } from '../../storage/types.ts';
import { objectAt, objectsAt } from '../builtin/shared/draft.ts';
import type { BootstrapContext } from './write.ts';

const resource = 'networking.k8s.io/servicecidrs';

/** Who says in the status of the default network that it is ready. */
const claim = {
  manager: 'kubernetes-service-cidr-controller',
  operation: 'Apply',
  apiVersion: 'networking.k8s.io/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:status': {
      'f:conditions': {
        'k:{"type":"Ready"}': {
          '.': {},
          'f:lastTransitionTime': {},
          'f:message': {},
          'f:status': {},
          'f:type': {},
        },
      },
    },
  },
  subresource: 'status',
} as const;

/** Marks the network that services get their addresses from as ready, whenever it comes without that. */
export function installServiceNetworks({ storage, clock }: BootstrapContext): StorageSubscription {
  const key = { resource, namespace: '', name: 'kubernetes' };
  const judge = () => {
    const network = storage.get(key) as DynamicObject | undefined;
    if (!network || objectsAt(objectAt(network, 'status'), 'conditions').length > 0) return;
    const now = formatTime(clock.now());
    const message = 'Kubernetes default Service CIDR is ready';
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: now, reason: '', message };
    const managedFields = [{ ...claim, time: now }, ...(network.metadata.managedFields ?? [])];
    const next = { ...network, metadata: { ...network.metadata, managedFields }, status: { conditions: [ready] } };
    storage.put(key, next as KubeObject);
  };
  judge();
  return storage.subscribe(resource, storage.revision, judge);
}
