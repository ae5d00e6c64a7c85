import { isInt64 } from '../../engine/check.ts';
import { isObject } from '../../json.ts';
import { ArrayList } from '../values/list.ts';
import { EntryMap, type MapKey } from '../values/map.ts';
import { CelDouble, intOf, type Value } from '../values/value.ts';

/** JSON without a schema, as admission sees objects: whole numbers are `int`, others `double`. */
export function dynamicValue(json: unknown): Value {
  if (Array.isArray(json)) return new ArrayList(json.map(dynamicValue));
  if (isObject(json)) {
    const entries = new Map<MapKey, readonly [Value, Value]>();
    for (const [key, value] of Object.entries(json)) {
      if (value !== undefined) entries.set(key, [key, dynamicValue(value)]);
    }
    return new EntryMap(entries);
  }
  if (typeof json === 'bigint') return isInt64(json) ? intOf(json) : new CelDouble(Number(json));
  if (typeof json === 'number') return Number.isInteger(json) ? intOf(BigInt(json)) : new CelDouble(json);
  return typeof json === 'string' || typeof json === 'boolean' ? json : null;
}
