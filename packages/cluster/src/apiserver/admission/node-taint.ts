import { ensureObject, objectsAt } from '../builtin/shared/draft.ts';
import type { AdmissionPlugin } from '../types.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** New nodes take no pods before a controller has seen that they are ready, and takes the taint away. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  admit({ operation, resource, subresource, object }) {
    if (operation !== 'CREATE' || resource.group !== '' || resource.plural !== 'nodes') return;
    if (subresource !== '' || !object) return;
    const spec = ensureObject(object, 'spec');
    const present = objectsAt(spec, 'taints');
    if (present.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    spec.taints = [...present, { ...notReady }];
  },
};
