import { fieldSelectorText, labelSelectorText } from '../client/index.ts';
import { checkFunction, checkOptions, optionNames, parseFieldSelector, parseSelector } from '../core/index.ts';
import type { InformerScope } from './types.ts';

const names = optionNames<InformerScope>({
  namespace: true,
  namespaces: true,
  labels: true,
  fields: true,
  metadataOnly: true,
  transform: true,
});

/**
 * Refuses a scope that would select something else than was meant.
 * @param what whose scope it is, as people call it: `owns pods of widget`
 * @throws TypeError, or SelectorError for a selector that cannot be read
 */
export function checkScope(what: string, scope: InformerScope | undefined): void {
  checkOptions(`scope of ${what}`, scope, names);
  const { namespace, namespaces, labels, fields, transform } = scope ?? {};
  if (namespace !== undefined && typeof namespace !== 'string')
    throw new TypeError(`scope of ${what}: "namespace" is no text; for several namespaces give "namespaces"`);
  if (namespaces !== undefined && (!Array.isArray(namespaces) || namespaces.some((name) => typeof name !== 'string')))
    throw new TypeError(`scope of ${what}: "namespaces" is no list of names`);
  if (namespace && namespaces) throw new TypeError(`scope of ${what}: give "namespace" or "namespaces", not both`);
  checkFunction(`scope of ${what}`, 'transform', transform, true);
  parseSelector(labelSelectorText(labels));
  parseFieldSelector(fieldSelectorText(fields));
}
