import type { Registry } from '../types.ts';
import type { Crd, CrdNames } from './crd-object.ts';

/** Whether a definition's names are free in its group. */
export interface NameVerdict {
  readonly accepted: boolean;
  readonly reason: string;
  readonly message: string;
}

const free: NameVerdict = { accepted: true, reason: 'NoConflicts', message: 'no conflicts found' };

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Names that other resources of the group have already. */
function takenNames(registry: Registry, crd: Crd): Taken {
  const others = registry.all().filter(({ group, plural }) => group === crd.group && plural !== crd.names.plural);
  return {
    resources: new Set(others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames])),
    kinds: new Set(others.flatMap(({ kind }) => [kind, `${kind}List`])),
  };
}

/** Looks for the first name of a definition that another resource of its group has. */
export function judgeNames(registry: Registry, crd: Crd): NameVerdict {
  const { resources, kinds } = takenNames(registry, crd);
  const { plural, singular, shortNames, kind, listKind } = crd.names;
  const short = shortNames.find((name) => resources.has(name));
  const checks: readonly (readonly [boolean, string, string])[] = [
    [resources.has(plural), 'PluralConflict', plural],
    [resources.has(singular), 'SingularConflict', singular],
    [short !== undefined, 'ShortNamesConflict', short ?? ''],
    [kinds.has(kind), 'KindConflict', kind],
    [kinds.has(listKind), 'ListKindConflict', listKind],
  ];
  const clash = checks.filter(([taken]) => taken).at(-1);
  return clash ? { accepted: false, reason: clash[1], message: `${JSON.stringify(clash[2])} is already in use` } : free;
}

/** The names as `status.acceptedNames` holds them: empty lists are left out. */
export function acceptedNames(names: CrdNames): Record<string, unknown> {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  return {
    plural,
    singular,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    kind,
    listKind,
    ...(categories.length > 0 ? { categories } : {}),
  };
}
