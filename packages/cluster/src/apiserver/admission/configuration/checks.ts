import type { FieldError } from '@coxswain/schema';
import { applyConfigurationType, type CelType, jsonPatchType, listOf, types } from '@coxswain/schema/cel';
import { invalidValue } from '../../builtin/shared/errors.ts';
import { compile, environmentFor, type Mode, type Uses, unusable, withVariables } from '../matching/expressions.ts';

/** Sorts of expressions, with what they may use and what they have to come to. Without types, anything is fine. */
const sorts = {
  condition: { authorizer: true, wanted: [types.bool] },
  validation: { authorizer: true, wanted: [types.bool] },
  message: { authorizer: false, wanted: [types.string] },
  annotation: { authorizer: true, wanted: [types.string, types.null] },
  ApplyConfiguration: { authorizer: true, patches: true, wanted: [applyConfigurationType] },
  JSONPatch: { authorizer: true, patches: true, wanted: [listOf(jsonPatchType)] },
  variable: { authorizer: true },
} as const satisfies Readonly<Record<string, Omit<Uses, 'params'> & { readonly wanted?: readonly CelType[] }>>;

export type ExpressionSort = keyof typeof sorts;

/** Compiles the expressions of one object as it is written. The variables of a policy are known to what comes after them. */
export class ExpressionChecks {
  readonly #params: boolean;
  readonly #composed: boolean;
  readonly #variables = new Map<string, CelType | undefined>();

  /** @param composed whether the object can have variables */
  constructor(params: boolean, composed: boolean) {
    this.#params = params;
    this.#composed = composed;
  }

  #environment(sort: ExpressionSort, mode: Mode) {
    const { wanted: _, ...uses } = { wanted: undefined, ...sorts[sort] };
    const base = environmentFor({ params: this.#params, ...uses }, mode);
    return this.#composed && sort !== 'condition' ? withVariables(base, new Map(this.#variables)) : base;
  }

  /** @param shown the value as the error tells it @param known whether the expression has been accepted before */
  errors(
    sort: ExpressionSort,
    text: string,
    field: string,
    known: boolean,
    shown: string = text,
  ): readonly FieldError[] {
    const { wanted } = { wanted: undefined, ...sorts[sort] };
    const problem = unusable(text, this.#environment(sort, known ? 'stored' : 'written'), wanted);
    if (!problem) return [];
    if (problem.kind === 'invalid') return [invalidValue(field, shown, problem.detail)];
    return [{ field, reason: 'InternalError', message: `Internal error: ${problem.detail}` }];
  }

  variable(name: string, text: string, field: string, known: boolean): readonly FieldError[] {
    const errors = this.errors('variable', text, field, known);
    const made = compile(text, this.#environment('variable', known ? 'stored' : 'written'));
    this.#variables.set(name, 'kind' in made ? undefined : made.type);
    return errors;
  }
}
