/**
 * Hands out pod addresses: 10.244.0.0/16, the lowest free one first, none twice while in use.
 * Addresses of pods that already have one are `claim`ed when a cluster starts again.
 */
export class PodAddresses {
  readonly #used = new Set<number>();
  readonly #taken: () => Iterable<string>;
  #adopted = false;
  #next = 2;

  /** @param taken asked once, before the first address is given out: those of pods that ran before */
  constructor(taken: () => Iterable<string> = () => []) {
    this.#taken = taken;
  }

  /** A free address. @throws Error when all 65 000 are in use */
  allocate(): string {
    if (!this.#adopted) for (const address of this.#taken()) this.claim(address);
    this.#adopted = true;
    for (let tried = 0; tried < 65_000; tried++) {
      const candidate = this.#next;
      this.#next = candidate >= 65_500 ? 2 : candidate + 1;
      if (this.#used.has(candidate) || candidate % 256 === 0 || candidate % 256 === 255) continue;
      this.#used.add(candidate);
      return `10.244.${candidate >> 8}.${candidate & 255}`;
    }
    throw new Error('no free pod address in 10.244.0.0/16; delete pods first');
  }

  claim(address: string): void {
    this.#used.add(PodAddresses.#index(address));
  }

  release(address: string): void {
    this.#used.delete(PodAddresses.#index(address));
  }

  static #index(address: string): number {
    const parts = address.split('.').map(Number);
    return ((parts[2] ?? 0) << 8) | (parts[3] ?? 0);
  }
}
