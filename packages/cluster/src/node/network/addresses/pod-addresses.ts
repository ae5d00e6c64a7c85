/** Whom an address belongs to: the uid of a pod. */
export type AddressOwner = string;

/** Addresses of pods in use: none twice. A free one is taken round the range, so that one just given back is not the next. */
export class PodAddresses {
  readonly #owners = new Map<string, AddressOwner>();
  readonly #next = new Map<string, number>();

  /** Whose an address is. */
  ownerOf(address: string): AddressOwner | undefined {
    return this.#owners.get(address);
  }

  /** Takes an address unless somebody else has it. */
  claim(address: string, owner: AddressOwner): boolean {
    const before = this.#owners.get(address);
    if (before !== undefined && before !== owner) return false;
    this.#owners.set(address, owner);
    return true;
  }

  /** A free address that begins with `prefix` (three numbers); `undefined` when all 254 are in use. */
  take(prefix: string, owner: AddressOwner): string | undefined {
    const start = this.#next.get(prefix) ?? 1;
    for (let i = 0; i < 254; i++) {
      const last = ((start - 1 + i) % 254) + 1;
      if (!this.claim(`${prefix}.${last}`, owner)) continue;
      this.#next.set(prefix, (last % 254) + 1);
      return `${prefix}.${last}`;
    }
    return undefined;
  }

  release(address: string, owner: AddressOwner): void {
    if (this.#owners.get(address) === owner) this.#owners.delete(address);
  }
}
