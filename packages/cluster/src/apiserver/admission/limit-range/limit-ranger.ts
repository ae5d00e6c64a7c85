import { forbidden } from '@coxswain/runtime/core';
import type { ReadJson } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import { nameIn } from '../matching/index.ts';
import { applyContainerDefaults } from './defaults.ts';
import { violations } from './violations.ts';

/** Containers of a pod cannot change after its creation, but for a resize; claims may grow. */
function isBounded({ resource, subresource, operation, old }: AdmissionAttributes): boolean {
  if (resource.group !== '' || old?.metadata.deletionTimestamp !== undefined) return false;
  if (resource.plural === 'pods') {
    return subresource === '' ? operation === 'CREATE' : subresource === 'resize' && operation === 'UPDATE';
  }
  const isClaim = resource.plural === 'persistentvolumeclaims' && subresource === '';
  return isClaim && (operation === 'CREATE' || operation === 'UPDATE');
}

function rangesOf({ storage, namespace }: AdmissionAttributes): readonly ReadJson[] {
  return storage.list('/limitranges', { namespace }).objects as readonly unknown[] as readonly ReadJson[];
}

export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  admit(attributes) {
    const { object, resource } = attributes;
    if (!object || resource.plural !== 'pods' || !isBounded(attributes)) return;
    for (const range of rangesOf(attributes)) applyContainerDefaults(range, object);
  },
  validate(attributes) {
    const { object, resource } = attributes;
    if (!object || !isBounded(attributes)) return;
    for (const range of rangesOf(attributes)) {
      const found = violations(range, resource.plural, object);
      if (found.length === 0) continue;
      const why = found.length === 1 ? found[0] : `[${[...new Set(found)].join(', ')}]`;
      throw forbidden(resource, nameIn(attributes), why ?? '');
    }
  },
};
