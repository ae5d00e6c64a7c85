import { parseArgs } from 'node:util';

/**
 * The flags of a verb, `--runs 5 --seed 7`; `undefined` when they cannot be read.
 * @param numbers flags of whole numbers with their defaults: at least 1, but for `seed`, which is any
 * @param texts flags of texts, which may be absent
 */
export function optionsOf<N extends string, T extends string = never>(
  args: readonly string[],
  numbers: Readonly<Record<N, number>>,
  texts: readonly T[] = [],
): (Readonly<Record<N, number>> & Readonly<Partial<Record<T, string>>>) | undefined {
  try {
    const flags = [...Object.keys(numbers), ...texts].map((name) => [name, { type: 'string' }] as const);
    const { values } = parseArgs({ args: [...args], options: Object.fromEntries(flags) });
    const read = Object.entries(numbers).map(([name, otherwise]) => [name, Number(values[name] ?? otherwise)] as const);
    if (!read.every(([name, value]) => Number.isSafeInteger(value) && (name === 'seed' || value > 0))) return undefined;
    return { ...values, ...Object.fromEntries(read) } as ReturnType<typeof optionsOf<N, T>>;
  } catch {
    return undefined;
  }
}
