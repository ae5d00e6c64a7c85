import { compareQuantities, type Quantity, quantityOf, quantityValue } from '@coxswain/runtime/core';
import { mapAt, objectAt, type ReadJson, textAt } from '../apiserver/builtin/shared/draft.ts';
import { amountsAt, one } from './amounts.ts';
import type { Evaluator } from './evaluators.ts';
import { isSelected } from './scopes.ts';

const count = 'count/persistentvolumeclaims';
const plain = ['persistentvolumeclaims', 'requests.storage'];
const ofClass = '.storageclass.storage.k8s.io/';

function classOf(claim: ReadJson): string {
  const annotated = mapAt(objectAt(claim, 'metadata'), 'annotations')['volume.beta.kubernetes.io/storage-class'];
  return annotated ?? textAt(objectAt(claim, 'spec'), 'storageClassName');
}

/** Whole bytes; what the volume has been given already counts when it is more. */
function storageOf(claim: ReadJson): Quantity | undefined {
  const asked = amountsAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests').get('storage');
  if (!asked) return undefined;
  const given = amountsAt(objectAt(claim, 'status'), 'allocatedResources').get('storage');
  const more = given && compareQuantities(given, asked) > 0 ? given : asked;
  return quantityOf(quantityValue(more), more.format);
}

function attributesClasses(claim: ReadJson): readonly string[] {
  const status = objectAt(claim, 'status');
  return [
    textAt(objectAt(claim, 'spec'), 'volumeAttributesClassName'),
    textAt(status, 'currentVolumeAttributesClassName'),
    textAt(objectAt(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ].filter((name) => name !== '');
}

/** Claims count by number and storage, in all and by storage class. */
export const claimEvaluator: Evaluator = {
  matching: (given) =>
    given.filter((name) => name === count || plain.some((one) => name === one || name.endsWith(ofClass + one))),
  inScope(selector, claim) {
    if (selector.scope !== 'VolumeAttributesClass') return false;
    const names = attributesClasses(claim);
    return names.length === 0 ? isSelected(selector, '') : names.some((name) => isSelected(selector, name));
  },
  refusal: () => undefined,
  usage(claim) {
    const storage = storageOf(claim);
    const name = classOf(claim);
    const prefixes = name === '' ? [''] : ['', `${name}${ofClass}`];
    return new Map([
      [count, one],
      ...prefixes.flatMap((prefix): [string, Quantity][] => [
        [`${prefix}persistentvolumeclaims`, one],
        ...(storage ? [[`${prefix}requests.storage`, storage] as [string, Quantity]] : []),
      ]),
    ]);
  },
};
