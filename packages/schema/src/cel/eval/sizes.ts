import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { textSize } from '../values/text.ts';
import { Opaque, Optional, type Value } from '../values/value.ts';

/** What a value counts when cost is charged by size; 1 for scalars. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return textSize(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap || value instanceof Opaque) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

const utf8 = new TextEncoder();

/** The cost of walking all of a value. Stops counting where no budget reaches. */
export function traversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8.encode(value).length * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  let cost = 0;
  if (value instanceof CelList) {
    if (value.size > 10_000_000) return value.size;
    for (const item of value) cost += traversalCost(item);
    return cost;
  }
  if (value instanceof CelMap) {
    for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.find(key) ?? null);
    return cost;
  }
  return 1;
}
