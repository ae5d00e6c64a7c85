import { listAt, objectAt, objectsAt, type ReadJson, textAt } from '../apiserver/builtin/shared/draft.ts';

/** One condition on the objects that a quota counts. */
export interface ScopeSelector {
  readonly scope: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`. */
  readonly operator: string;
  readonly values: readonly string[];
}

/** The conditions of a quota; all must hold. */
export function selectorsOf(quota: ReadJson): readonly ScopeSelector[] {
  const spec = objectAt(quota, 'spec');
  const plain = listAt(spec, 'scopes').map((scope) => ({ scope: String(scope), operator: 'Exists', values: [] }));
  const selected = objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions').map((expression) => ({
    scope: textAt(expression, 'scopeName'),
    operator: textAt(expression, 'operator'),
    values: listAt(expression, 'values').map(String),
  }));
  return [...plain, ...selected];
}

/** Whether a name (`''`: none) is what a selector asks for. */
export function isSelected({ operator, values }: ScopeSelector, name: string): boolean {
  switch (operator) {
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return name === '' || !values.includes(name);
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
}
