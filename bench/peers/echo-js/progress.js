/** Tells on stdout, a line of JSON each, how far the operator is. */
export class Progress {
  #expect;
  #reconciles = 0;
  /** Keys that were reconciled successfully; undefined once as many were as are expected. */
  #done = new Set();

  constructor(expect) {
    this.#expect = expect;
    process.on('SIGUSR2', () => this.#tell({ event: 'stats', reconciles: this.#reconciles }));
    this.#tell({ event: 'started' });
  }

  synced() {
    this.#tell({ event: 'synced' });
    if (this.#expect === 0) this.#all();
  }

  reconciled(key, ok) {
    this.#reconciles++;
    if (this.#reconciles === 1) this.#tell({ event: 'first' });
    if (this.#done === undefined || !ok) return;
    this.#done.add(key);
    if (this.#done.size === this.#expect) this.#all();
  }

  #all() {
    this.#done = undefined;
    this.#tell({ event: 'all' });
  }

  #tell(event) {
    process.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
