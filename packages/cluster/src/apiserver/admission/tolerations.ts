import { numberAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';

const operatorOf = (toleration: ReadJson): string => textAt(toleration, 'operator') || 'Equal';

/** Whether everything that `other` tolerates is tolerated by `wide` too. */
function isWider(wide: ReadJson, other: ReadJson): boolean {
  if (sameJson(wide, other)) return true;
  const key = textAt(wide, 'key');
  if (textAt(other, 'key') !== key && (key !== '' || operatorOf(wide) !== 'Exists')) return false;
  const effect = textAt(wide, 'effect');
  if (effect !== '' && textAt(other, 'effect') !== effect) return false;
  const seconds = numberAt(wide, 'tolerationSeconds');
  if (effect === 'NoExecute' && seconds !== undefined) {
    const own = numberAt(other, 'tolerationSeconds');
    if (own === undefined || own > seconds) return false;
  }
  if (operatorOf(wide) === 'Exists') return true;
  return textAt(other, 'operator') === 'Equal' && textAt(other, 'value') === textAt(wide, 'value');
}

/** Both lists in one, without those that another one covers. */
export function mergeTolerations(first: readonly ReadJson[], second: readonly ReadJson[]): readonly ReadJson[] {
  const all = [...first, ...second];
  const merged: ReadJson[] = [];
  for (const [i, toleration] of all.entries()) {
    const covered = merged.some((other) => isWider(other, toleration));
    const later = all.slice(i + 1).some((other) => !sameJson(other, toleration) && isWider(other, toleration));
    if (!covered && !later) merged.push(toleration);
  }
  return merged;
}
