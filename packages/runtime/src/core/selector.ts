import { labelValueErrors, qualifiedNameErrors } from './label-syntax.ts';

/** One condition on one label. `in` with one value is equality; `exists` and `!` (does not exist) have no values. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/** Requirements that must all hold; none: everything matches. */
export type Selector = readonly Requirement[];

/** The selector as objects carry it (`spec.selector` of a Deployment). */
export interface LabelSelectorLike {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Labels by name. */
export type LabelPairs = Readonly<Record<string, string>>;

/** A selector that cannot be understood. The message is the server's. */
export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorError';
  }
}

/** Matches every object. */
export const everything: Selector = [];

/** Matches no object. */
export const nothing: Selector = [{ key: '', operator: 'in', values: [] }];

const expressionOperators: Readonly<Record<string, Requirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** A requirement, checked. @throws SelectorError */
export function requirement(key: string, operator: Requirement['operator'], values: readonly string[]): Requirement {
  const keyErrors = qualifiedNameErrors(key);
  if (keyErrors.length > 0)
    throw new SelectorError(`key: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join('; ')}`);
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    throw new SelectorError("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    throw new SelectorError(
      `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
    );
  }
  if ((operator === 'gt' || operator === 'lt') && !/^[+-]?\d+$/.test(values[0] ?? '')) {
    throw new SelectorError(
      `values[0]: Invalid value: ${JSON.stringify(values[0] ?? '')}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  values.forEach((value, i) => {
    const errors = labelValueErrors(value);
    if (errors.length === 0) return;
    throw new SelectorError(`values[${i}][${key}]: Invalid value: ${JSON.stringify(value)}: ${errors.join('; ')}`);
  });
  return { key, operator, values };
}

/** A selector out of equality pairs: `{ app: 'web' }`. @throws SelectorError */
export function selectorFromLabels(labels: LabelPairs): Selector {
  return Object.entries(labels).map(([key, value]) => {
    if (typeof value === 'string') return requirement(key, 'in', [value]);
    throw new SelectorError(
      `the value of label ${JSON.stringify(key)} is no text: equality pairs are { app: 'web' }; for matchLabels and matchExpressions use selectorFromField`,
    );
  });
}

/**
 * The selector of a `LabelSelector` field. As in Kubernetes, an absent one matches nothing and an empty one everything.
 * @throws SelectorError
 */
export function selectorFromField(field: LabelSelectorLike | null | undefined): Selector {
  if (!field) return nothing;
  for (const name of Object.keys(field)) {
    // Passed over, it would select every object.
    if (name !== 'matchLabels' && name !== 'matchExpressions')
      throw new SelectorError(
        `unknown field ${JSON.stringify(name)}: a label selector has matchLabels and matchExpressions`,
      );
  }
  const selector: Requirement[] = [...selectorFromLabels(field.matchLabels ?? {})];
  for (const { key, operator, values } of field.matchExpressions ?? []) {
    const known = expressionOperators[operator];
    if (!known) throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    selector.push(requirement(key, known, values ?? []));
  }
  return selector;
}

/** Whether an object with these labels is selected. */
export function matchesLabels(selector: Selector, labels: LabelPairs | undefined): boolean {
  for (const required of selector) if (!holds(required, labels ?? {})) return false;
  return true;
}

function holds({ key, operator, values }: Requirement, labels: LabelPairs): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default: {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      const [is, than] = [BigInt(value), BigInt(values[0] ?? '0')];
      return operator === 'gt' ? is > than : is < than;
    }
  }
}

/** The selector in Kubernetes' notation, sorted by key: `app=web,tier in (a,b),!old`. */
export function formatSelector(selector: Selector): string {
  const sorted = [...selector].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return sorted.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      if (values.length === 1) return `${key}${operator === 'in' ? '=' : '!='}${values[0]}`;
      return `${key} ${operator} (${[...values].sort().join(',')})`;
  }
}
