import type { Value } from './value.ts';

/** A list. Subclasses convert their items on the way out, or join two lists without copying. */
export abstract class CelList {
  abstract readonly size: number;

  /** Whether only an `int` may index it: lists of resources are strict, others take any number. */
  get strict(): boolean {
    return false;
  }

  /** The item at an index within bounds. */
  abstract at(index: number): Value;

  /** This list and then another. */
  concat(other: CelList): CelList {
    if (this.size === 0) return other;
    if (other.size === 0) return this;
    return new JoinedList(this, other);
  }

  /** Order counts, except in lists that the schema calls a set or a map, which say so here. */
  compare(other: CelList, equal: (a: Value, b: Value) => boolean): boolean {
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index += 1) {
      if (!equal(this.at(index), other.at(index))) return false;
    }
    return true;
  }

  *[Symbol.iterator](): Iterator<Value> {
    for (let index = 0; index < this.size; index += 1) yield this.at(index);
  }
}

export class ArrayList extends CelList {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] ?? null;
  }
}

/** Two lists one after the other. Joining costs nothing, as the cost model has it; reading goes down the halves. */
class JoinedList extends CelList {
  readonly size: number;
  readonly #first: CelList;
  readonly #second: CelList;

  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): Value {
    const { size } = this.#first;
    return index < size ? this.#first.at(index) : this.#second.at(index - size);
  }
}
