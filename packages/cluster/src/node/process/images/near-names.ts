import { editDistance } from '@coxswain/runtime/core';
import { type ImageReference, shortName } from './reference.ts';

const last = ({ repository }: ImageReference) => repository.slice(repository.lastIndexOf('/') + 1);

/** Names that somebody may have meant, the nearest first; three at most. */
export function closest(wanted: ImageReference, names: readonly ImageReference[]): readonly string[] {
  const word = last(wanted);
  return names
    .map((name) => {
      const other = last(name);
      const contained = word.includes(other) || other.includes(word);
      return { name: shortName(name), far: contained ? 1 : editDistance(word, other) };
    })
    .filter(({ far }) => far <= 2)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}
