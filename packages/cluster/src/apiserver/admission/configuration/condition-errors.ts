import type { FieldError } from '@coxswain/schema';
import { objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { duplicate, invalidValue, required } from '../../builtin/shared/errors.ts';
import { qualifiedName } from '../../builtin/shared/names.ts';
import { checksFor } from './engine.ts';

const most = 64;

const textsOf = (parent: ReadJson | undefined): ReadonlySet<string> =>
  new Set(objectsAt(parent, 'matchConditions').map((one) => textAt(one, 'expression')));

/** Errors of the match conditions of a webhook or a policy. `old`: what it was before. */
export function conditionErrors(
  parent: ReadJson,
  field: string,
  { params, old }: { readonly params: boolean; readonly old: ReadJson | undefined },
): readonly FieldError[] {
  const conditions = objectsAt(parent, 'matchConditions');
  if (conditions.length === 0) return [];
  const known = textsOf(old);
  const checks = checksFor(params, false);
  const names = new Set<string>();
  const errors: FieldError[] = [];
  if (conditions.length > most) {
    const message = `Too many: ${conditions.length}: must have at most ${most} items`;
    errors.push({ field: `${field}.matchConditions`, reason: 'FieldValueTooMany', message });
  }
  for (const [i, condition] of conditions.entries()) {
    const here = `${field}.matchConditions[${i}]`;
    const text = textAt(condition, 'expression').trim();
    if (text === '') errors.push(required(`${here}.expression`));
    else errors.push(...checks.errors('condition', text, `${here}.expression`, known.has(text)));
    const name = textAt(condition, 'name');
    if (name === '') errors.push(required(`${here}.name`));
    else errors.push(...qualifiedName(name).map((why) => invalidValue(`${here}.name`, name, why)));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${here}.name`, name));
    names.add(name);
  }
  return errors;
}
