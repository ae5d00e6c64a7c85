import { objectAt, type ReadJson } from '../apiserver/builtin/shared/draft.ts';

export type { ReadJson };

/** The `spec` of an object, if it has one. */
export function specOf(object: ReadJson): ReadJson | undefined {
  return objectAt(object, 'spec');
}
