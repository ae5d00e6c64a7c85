/** Work on each of several things, one after the other in the order of the calls, whatever becomes of the work before. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  take<T>(thing: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(thing) ?? Promise.resolve()).then(work);
    const over = mine
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (this.#last.get(thing) === over) this.#last.delete(thing);
      });
    this.#last.set(thing, over);
    return mine;
  }
}
