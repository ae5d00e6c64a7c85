import { type ImageReference, shortName } from './reference.ts';

/** How many letters have to be changed, added or taken away to make one text the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const last = ({ repository }: ImageReference) => repository.slice(repository.lastIndexOf('/') + 1);

/** Names that somebody may have meant, the nearest first; three at most. */
export function closest(wanted: ImageReference, names: readonly ImageReference[]): readonly string[] {
  const word = last(wanted);
  return names
    .map((name) => {
      const other = last(name);
      const contained = word.includes(other) || other.includes(word);
      return { name: shortName(name), far: contained ? 1 : distance(word, other) };
    })
    .filter(({ far }) => far <= 2)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}
