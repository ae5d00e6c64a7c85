import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import { checkScope } from '../cache/index.ts';
import type { InformerScope } from '../cache/types.ts';
import { checkFunction, checkKind, checkOptions } from '../core/index.ts';
import type { MapToKeys, Predicate } from './types.ts';

/** What a source may be given besides its kind. */
export interface SourceParts<T extends KubeObject> {
  readonly scope?: InformerScope | undefined;
  readonly where?: Predicate<T> | undefined;
  readonly map?: MapToKeys<T>;
}

/**
 * Refuses a kind that is none, and what a source would not understand.
 * @param use as the builder calls it
 * @param options as they were given
 * @param known of the options
 * @throws TypeError, or SelectorError for a selector that cannot be read
 */
export function checkSource<T extends KubeObject>(
  use: 'for' | 'owns' | 'watches',
  kind: Kind<T>,
  options: SourceParts<T> | undefined,
  known: readonly string[],
): void {
  checkKind(use === 'for' ? 'controller' : use, kind);
  const what = use === 'for' ? `controller of ${resourceName(kind)}` : `${use} ${resourceName(kind)}`;
  checkOptions(what, options, known);
  if (known.includes('map') && options?.map === undefined)
    throw new TypeError(`${what}: give "map", which names the keys that an object concerns`);
  checkFunction(what, 'map', options?.map, true);
  checkFunction(what, 'where', options?.where, true);
  checkScope(what, options?.scope);
}
