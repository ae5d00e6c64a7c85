import type { Strategy } from '../../types.ts';
import { given } from '../shared/draft.ts';
import { required } from '../shared/errors.ts';
import { nonNegative, unchanged } from '../shared/values.ts';

/** Revisions are written once; only their number may change. */
export const controllerRevisionStrategy: Strategy = {
  validate: (object) => [
    ...nonNegative(object.revision, 'revision'),
    ...(given(object.data) ? [] : [required('data', 'data is mandatory')]),
  ],
  validateUpdate: (object, old) => unchanged(object.data, old.data, 'data'),
};
