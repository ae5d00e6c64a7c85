import type { FieldError } from '@coxswain/schema';
import { objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { required, tooLong } from '../shared/errors.ts';
import { asEntry, checkDriver, checkList } from './lists.ts';

const longestExpression = 10 * 1024;
const longestParameters = 10 * 1024;
const most = 32;

function checkSelector(selector: ReadJson, field: string): readonly FieldError[] {
  const cel = objectAt(selector, 'cel');
  if (!cel) return [required(`${field}.cel`)];
  const expression = textAt(cel, 'expression');
  return expression.length > longestExpression ? [tooLong(`${field}.cel.expression`, longestExpression)] : [];
}

/** The selectors of devices at `selectors`. */
export function checkSelectors(parent: ReadJson | undefined, path: string): readonly FieldError[] {
  return checkList(parent, 'selectors', path, most, (entry, field) => checkSelector(asEntry(entry), field));
}

/** What a driver is told: only the driver knows what it means. */
export function checkConfiguration(config: ReadJson, field: string): readonly FieldError[] {
  const opaque = objectAt(config, 'opaque');
  if (!opaque) return [required(`${field}.opaque`)];
  const parameters = opaque.parameters;
  const own = `${field}.opaque.parameters`;
  const errors = [...checkDriver(textAt(opaque, 'driver'), `${field}.opaque.driver`)];
  if (parameters === undefined || parameters === null) errors.push(required(own));
  else if (JSON.stringify(parameters).length > longestParameters) errors.push(tooLong(own, longestParameters));
  return errors;
}
