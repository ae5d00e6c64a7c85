/** Where all chance comes from, so that a run can be repeated from its seed. */
export interface Random {
  /** A float in [0, 1). */
  next(): number;
}

/** The machine's own randomness. */
export const systemRandom: Random = { next: () => Math.random() };

/** A small, fast, repeatable generator (mulberry32). The same seed gives the same sequence. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = state;
      t = Math.imul(t ^ (t >>> 15), t | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    },
  };
}

const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** `length` characters of the alphabet Kubernetes uses for generated names. */
export function randomSuffix(random: Random, length = 5): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += nameAlphabet[Math.floor(random.next() * nameAlphabet.length)];
  return suffix;
}

const hexDigits = '0123456789abcdef';

/** A random (version 4) UUID drawn from `random`. */
export function randomUuid(random: Random): string {
  let text = '';
  for (let i = 0; i < 32; i++) text += hexDigits[Math.floor(random.next() * 16)];
  const variant = hexDigits[8 + Math.floor(random.next() * 4)];
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}
