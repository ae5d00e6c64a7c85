/** Bounds of a size or a cost. The greatest number stands for no bound. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const unbounded = 2 ** 64;

const clamp = (value: number): number => Math.min(value, unbounded);

export const unknownSize: Range = { min: 0, max: unbounded };

export function fixed(value: number): Range {
  return { min: value, max: value };
}

export function sum(...ranges: readonly Range[]): Range {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min += range.min;
    max += range.max;
  }
  return { min: clamp(min), max: clamp(max) };
}

export function product(a: Range, b: Range): Range {
  return { min: clamp(a.min * b.min), max: clamp(a.max * b.max) };
}

/** Times a factor, rounded up. */
export function scaled({ min, max }: Range, factor: number): Range {
  return { min: clamp(Math.ceil(min * factor)), max: clamp(Math.ceil(max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
