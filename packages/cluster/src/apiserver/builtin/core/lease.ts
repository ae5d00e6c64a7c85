import type { Strategy } from '../../types.ts';
import { ensureObject, objectAt } from '../shared/draft.ts';
import { nonNegative, positive } from '../shared/values.ts';

/** Of the coordinated election of leaders, which is off. */
const gated = ['strategy', 'preferredHolder'];

export const leaseStrategy: Strategy = {
  default: (draft) => void ensureObject(draft, 'spec'),
  prepareCreate(draft) {
    for (const key of gated) delete ensureObject(draft, 'spec')[key];
  },
  validate(object) {
    const spec = objectAt(object, 'spec');
    return [
      ...positive(spec?.leaseDurationSeconds, 'spec.leaseDurationSeconds'),
      ...nonNegative(spec?.leaseTransitions, 'spec.leaseTransitions'),
    ];
  },
};
