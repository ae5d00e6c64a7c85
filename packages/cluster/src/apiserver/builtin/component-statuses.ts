import type { DynamicObject } from '@coxswain/k8s';

function healthy(name: string): DynamicObject {
  return Object.freeze({
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    metadata: { name },
    conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
  }) as unknown as DynamicObject;
}

const statuses = ['controller-manager', 'scheduler', 'etcd-0'].map(healthy);

/** The parts of the control plane: they run in this process, so whoever gets an answer finds them well. */
export const componentStatuses = (): readonly DynamicObject[] => statuses;
