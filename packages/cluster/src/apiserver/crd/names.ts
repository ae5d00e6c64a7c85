import { objectAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';
import { type CrdCondition, findCondition } from './conditions.ts';
import { type CrdNames, readNames } from './crd-object.ts';

/** Names that the definitions of a group have got. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** The names of all definitions of a group, the one that asks included. */
export function takenNames(definitions: readonly ReadJson[], group: string): TakenNames {
  const accepted = definitions
    .filter((one) => textAt(objectAt(one, 'spec'), 'group') === group)
    .map((one) => readNames(objectAt(objectAt(one, 'status'), 'acceptedNames')));
  return {
    resources: new Set(accepted.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames])),
    kinds: new Set(accepted.flatMap(({ kind, listKind }) => [kind, listKind])),
  };
}

/** What a definition gets of the names it asks for, and what its conditions say of it. */
export interface NameVerdict {
  readonly accepted: CrdNames;
  readonly condition: CrdCondition;
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;

function clashes(wanted: string, own: string, taken: ReadonlySet<string>): boolean {
  return wanted !== own && taken.has(wanted);
}

/**
 * Judges names one by one: each that is free is had, and the last that is not is told of. `own`: what the definition has so far.
 */
export function judgeNames(wanted: CrdNames, own: CrdNames, { resources, kinds }: TakenNames): NameVerdict {
  const shortNames = wanted.shortNames.filter((name) => !own.shortNames.includes(name) && resources.has(name));
  const shortText = [...new Set(shortNames.map(inUse))];
  const conflicts: (readonly [keyof CrdNames, string, string])[] = [];
  const check = (name: 'plural' | 'singular' | 'kind' | 'listKind', reason: string, taken: ReadonlySet<string>) => {
    if (clashes(wanted[name], own[name], taken)) conflicts.push([name, reason, inUse(wanted[name])]);
  };
  check('plural', 'PluralConflict', resources);
  check('singular', 'SingularConflict', resources);
  if (shortText.length > 0) {
    const text = shortText.length === 1 ? shortText.join('') : `[${shortText.join(', ')}]`;
    conflicts.push(['shortNames', 'ShortNamesConflict', text]);
  }
  check('kind', 'KindConflict', kinds);
  check('listKind', 'ListKindConflict', kinds);
  const accepted = { ...wanted, ...Object.fromEntries(conflicts.map(([name]) => [name, own[name]])) };
  const [, reason, message] = conflicts.at(-1) ?? ['', 'NoConflicts', 'no conflicts found'];
  const status = conflicts.length === 0 ? 'True' : 'False';
  return { accepted, condition: { type: 'NamesAccepted', status, reason, message } };
}

/** What `Established` says after the names were judged: the server takes a kind up in a step of its own. */
export function establishedAfter(object: ReadJson, names: CrdCondition): CrdCondition {
  const before = findCondition(object, 'Established');
  if (before?.status === 'True') return before;
  const free = names.status === 'True';
  if (!free && before) return before;
  return {
    type: 'Established',
    status: 'False',
    reason: free ? 'Installing' : 'NotAccepted',
    message: free ? 'the initial names have been accepted' : 'not all names are accepted',
  };
}

/** The names as `status.acceptedNames` holds them: what is empty is left out, but for the two it always has. */
export function namesStatus(names: CrdNames): Record<string, unknown> {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  return {
    plural,
    ...(singular === '' ? {} : { singular }),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    kind,
    ...(listKind === '' ? {} : { listKind }),
    ...(categories.length > 0 ? { categories } : {}),
  };
}

export const sameNames = (a: CrdNames, b: CrdNames): boolean => sameJson(a, b);
