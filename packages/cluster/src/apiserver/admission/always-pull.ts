import { forbidden } from '@coxswain/runtime/core';
import { objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { notSupported } from '../builtin/shared/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { nameIn } from './matching/index.ts';

const sorts = ['initContainers', 'containers', 'ephemeralContainers'];

const imagesOf = (pod: ReadJson | undefined): string[] =>
  sorts.flatMap((key) => objectsAt(objectAt(pod, 'spec'), key).map((container) => textAt(container, 'image')));

function isMeant({ operation, resource, subresource, object, old }: AdmissionAttributes): boolean {
  if (resource.group !== '' || resource.plural !== 'pods' || subresource !== '' || !object) return false;
  if (operation === 'CREATE') return true;
  const before = imagesOf(old as ReadJson | undefined);
  return operation === 'UPDATE' && imagesOf(object).some((image) => !before.includes(image));
}

/** Every place of a pod where an image is pulled. */
function pulls(pod: ReadJson | undefined): readonly (readonly [string, Record<string, unknown>, string])[] {
  const spec = objectAt(pod, 'spec');
  const containers = sorts.flatMap((key) =>
    objectsAt(spec, key).map((one, i) => [`spec.${key}[${i}].imagePullPolicy`, one, 'imagePullPolicy'] as const),
  );
  const volumes = objectsAt(spec, 'volumes').flatMap((volume, i) => {
    const image = objectAt(volume, 'image');
    return image ? [[`spec.volumes[${i}].image.pullPolicy`, image, 'pullPolicy'] as const] : [];
  });
  return [...containers, ...volumes];
}

/** Nobody runs an image from a node's cache without the right to pull it. */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  admit(attributes) {
    if (!isMeant(attributes)) return;
    for (const [, part, key] of pulls(attributes.object)) part[key] = 'Always';
  },
  validate(attributes) {
    if (!isMeant(attributes)) return;
    for (const [path, part, key] of pulls(attributes.object)) {
      if (part[key] === 'Always') continue;
      const { field, message } = notSupported(path, part[key], ['Always']);
      throw forbidden(attributes.resource, nameIn(attributes), `${field}: ${message}`);
    }
  },
};
