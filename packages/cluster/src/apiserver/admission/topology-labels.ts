import type { Storage } from '../../storage/types.ts';
import { ensureObject, objectAt, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionPlugin } from '../types.ts';

const copied = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

function labelsOfNode(storage: Storage, name: string): readonly (readonly [string, string])[] {
  const labels = storage.get({ resource: '/nodes', namespace: '', name })?.metadata.labels ?? {};
  return Object.entries(labels).filter(([key]) => copied.includes(key));
}

/** Tells a pod the zone and the region of its node: on the binding, which hands it on, or on a pod that names its node itself. */
export const podTopologyLabels: AdmissionPlugin = {
  name: 'PodTopologyLabels',
  admit({ operation, resource, subresource, object, storage }) {
    if (operation !== 'CREATE' || resource.group !== '' || resource.plural !== 'pods' || !object) return;
    let node = '';
    if (subresource === '') node = textAt(objectAt(object, 'spec'), 'nodeName');
    else if (subresource === 'binding') {
      const target = objectAt(object, 'target');
      if (textAt(target, 'kind') === 'Node') node = textAt(target, 'name');
    }
    const labels = node === '' ? [] : labelsOfNode(storage, node);
    if (labels.length > 0)
      Object.assign(ensureObject(ensureObject(object, 'metadata'), 'labels'), Object.fromEntries(labels));
  },
};
