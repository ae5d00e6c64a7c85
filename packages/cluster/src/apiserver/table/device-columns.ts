import type { DynamicObject } from '@coxswain/k8s';
import { given, listAt, objectAt, textAt } from '../builtin/shared/draft.ts';
import type { Column } from '../types.ts';
import { age, column, name, specOf, statusOf } from './cells.ts';
import { ageOf } from './human-duration.ts';

function claimState(claim: DynamicObject): string {
  const deleted = claim.metadata.deletionTimestamp !== undefined;
  if (!objectAt(statusOf(claim), 'allocation')) return deleted ? 'deleted' : 'pending';
  const reserved = listAt(statusOf(claim), 'reservedFor').length > 0;
  return [...(deleted ? ['deleted'] : []), 'allocated', ...(reserved ? ['reserved'] : [])].join(',');
}

const taint = (key: string) => (rule: DynamicObject) => textAt(objectAt(specOf(rule), 'taint'), key);

/** Columns of `resource.k8s.io`, by `group/plural`. */
export const deviceTables: Readonly<Record<string, readonly Column[]>> = {
  'resource.k8s.io/deviceclasses': [name, age],
  'resource.k8s.io/resourceclaims': [name, column('State', claimState), age],
  'resource.k8s.io/resourceclaimtemplates': [name, age],
  'resource.k8s.io/resourceslices': [
    name,
    column('Node', (slice) => textAt(specOf(slice), 'nodeName')),
    column('Driver', (slice) => textAt(specOf(slice), 'driver')),
    column('Pool', (slice) => textAt(objectAt(specOf(slice), 'pool'), 'name')),
    age,
  ],
  'resource.k8s.io/devicetaintrules': [
    name,
    column('Key', taint('key')),
    column('Value', taint('value')),
    column('Effect', taint('effect')),
    column('TimeAdded', (rule, now) => {
      const added = objectAt(specOf(rule), 'taint')?.timeAdded;
      return given(added) ? ageOf(String(added), now) : '';
    }),
    age,
  ],
};
