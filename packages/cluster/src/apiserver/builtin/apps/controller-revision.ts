import type { Strategy } from '../../types.ts';
import { given, isObject } from '../shared/draft.ts';
import { required } from '../shared/errors.ts';
import { nonNegative, unchanged } from '../shared/values.ts';

/** Revisions are written once; only their number may change. */
export const controllerRevisionStrategy: Strategy = {
  validate: (object) => nonNegative(object.revision, 'revision'),
  validateCreate({ data }) {
    if (!given(data)) return [required('data', 'data is mandatory')];
    return isObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
  },
  validateUpdate: (object, old) => unchanged(object.data, old.data, 'data'),
};
