import { equal } from '../values/compare.ts';
import { formatValue, typeNameOf } from '../values/describe.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { ArrayList, CelList } from '../values/list.ts';
import { CelMap, EntryMap, type MapKey, mapKey } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import type { Frame, Step } from './frame.ts';

/** Slots of the loop variables. */
export interface LoopSlots {
  readonly first: number;
  readonly second: number | undefined;
}

/** Calls `body` for each item, with the variables set; stops when it answers false. */
function each(frame: Frame, range: Value, { first, second }: LoopSlots, body: () => boolean): void {
  const { slots } = frame;
  if (range instanceof CelList) {
    for (let index = 0; index < range.size; index += 1) {
      if (second === undefined) slots[first] = range.at(index);
      else {
        slots[first] = index;
        slots[second] = range.at(index);
      }
      if (!body()) return;
    }
    return;
  }
  if (!(range instanceof CelMap)) throw noSuchOverload();
  for (const key of range.keys()) {
    slots[first] = key;
    if (second !== undefined) slots[second] = range.find(key);
    if (!body()) return;
  }
}

/**
 * `all` and `exists`. `decisive` is the answer that ends the loop; errors count only when no item decides. The costs
 * per item are those of the general loop: reading the accumulator, testing it, joining.
 */
export function quantify(range: Step, slots: LoopSlots, predicate: Step, decisive: boolean): Step {
  const perTest = decisive ? 3 : 2;
  return (frame) => {
    let failure: CelError | undefined;
    let decided = false;
    each(frame, range(frame), slots, () => {
      frame.charge(perTest);
      if (decided) return false;
      frame.charge(1);
      try {
        const value = predicate(frame);
        if (value === decisive) {
          decided = true;
          failure = undefined;
        } else if (typeof value !== 'boolean') failure ??= noSuchOverload();
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
      return true;
    });
    frame.charge(1);
    if (failure) throw failure;
    return decided ? decisive : !decisive;
  };
}

export function existsOne(range: Step, slots: LoopSlots, predicate: Step): Step {
  return (frame) => {
    let count = 0;
    each(frame, range(frame), slots, () => {
      const value = predicate(frame);
      if (typeof value !== 'boolean') throw noSuchOverload();
      if (value) {
        frame.charge(2);
        count += 1;
      }
      return true;
    });
    frame.charge(2);
    return count === 1;
  };
}

/** Whether an item passes a filter; without one, it does. */
function passes(filter: Step | undefined, frame: Frame): boolean {
  if (!filter) return true;
  const value = filter(frame);
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

/** `map`, `filter`, `transformList`. `perItem` is the cost of growing the list by one. */
export function collectList(
  range: Step,
  slots: LoopSlots,
  filter: Step | undefined,
  transform: Step,
  perItem: number,
): Step {
  return (frame) => {
    const items: Value[] = [];
    each(frame, range(frame), slots, () => {
      if (passes(filter, frame)) {
        frame.charge(perItem);
        items.push(transform(frame));
      }
      return true;
    });
    frame.charge(1);
    return new ArrayList(items);
  };
}

type Entries = Map<MapKey, readonly [Value, Value]>;

function idOf(key: Value): MapKey {
  const id = mapKey(key);
  if (id === undefined) throw new CelError(`unsupported key type: ${typeNameOf(key)}`);
  return id;
}

/** Sets an entry of a literal; the last of several wins. @throws {CelError} for a key that no map can have */
export function setEntry(entries: Entries, key: Value, value: Value): void {
  entries.set(idOf(key), [key, value]);
}

/** Adds an entry. @throws {CelError} also for a key that is there already */
function insertEntry(entries: Entries, key: Value, value: Value): void {
  const id = idOf(key);
  if (entries.has(id)) throw new CelError(`insert failed: key ${formatValue(key)} already exists`);
  entries.set(id, [key, value]);
}

/** `transformMap`: the items keep their keys. */
export function collectMap(range: Step, slots: LoopSlots, filter: Step | undefined, transform: Step): Step {
  return (frame) => {
    const entries: Entries = new Map();
    each(frame, range(frame), slots, () => {
      if (passes(filter, frame)) {
        frame.charge(3);
        insertEntry(entries, frame.slots[slots.first] ?? null, transform(frame));
      }
      return true;
    });
    frame.charge(1);
    return new EntryMap(entries);
  };
}

/** `transformMapEntry`: each item becomes the entries of a map. */
export function collectEntries(range: Step, slots: LoopSlots, filter: Step | undefined, transform: Step): Step {
  return (frame) => {
    const entries: Entries = new Map();
    each(frame, range(frame), slots, () => {
      if (!passes(filter, frame)) return true;
      frame.charge(2);
      const added = transform(frame);
      if (!(added instanceof CelMap)) throw noSuchOverload();
      for (const key of added.keys()) insertEntry(entries, key, added.find(key) ?? null);
      return true;
    });
    frame.charge(1);
    return new EntryMap(entries);
  };
}

/** Looks an item up among constants; large sets by key. */
export function membership(items: readonly Value[]): (value: Value) => boolean {
  if (items.length <= 8) return (value) => items.some((item) => equal(item, value));
  const keys = new Set(items.map(mapKey));
  return (value) => {
    const key = mapKey(value);
    return key === undefined ? items.some((item) => equal(item, value)) : keys.has(key);
  };
}
