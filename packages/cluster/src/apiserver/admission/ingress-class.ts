import { ensureObject, given, mapAt, objectAt } from '../builtin/shared/draft.ts';
import type { AdmissionPlugin } from '../types.ts';
import { newestDefault } from './newest-default.ts';

/** Gives ingresses without a class the default one. */
export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  admit({ operation, resource, subresource, object, storage }) {
    if (operation !== 'CREATE' || subresource !== '' || !object) return;
    if (resource.group !== 'networking.k8s.io' || resource.plural !== 'ingresses') return;
    const spec = ensureObject(object, 'spec');
    const annotations = mapAt(objectAt(object, 'metadata'), 'annotations');
    if (given(spec.ingressClassName) || 'kubernetes.io/ingress.class' in annotations) return;
    const name = newestDefault(storage, 'networking.k8s.io/ingressclasses', [
      'ingressclass.kubernetes.io/is-default-class',
    ]);
    if (name !== undefined) spec.ingressClassName = name;
  },
};
