/** Bytes of a heap after a collection, and after how many cycles. */
export interface HeapSample {
  readonly cycle: number;
  readonly bytes: number;
}

/** Cycles after which the heap is looked at: from the middle on, as the first half goes to code that is being compiled. */
export function heapMarks(cycles: number): readonly number[] {
  return [...new Set([Math.ceil(cycles / 2), Math.ceil((cycles * 3) / 4), cycles])];
}

/** Bytes a cycle by which the heap grows: the slope of the straight line nearest to the samples; 0 of fewer than two. */
export function heapGrowth(samples: readonly HeapSample[]): number {
  const mean = (of: (sample: HeapSample) => number) => samples.reduce((sum, s) => sum + of(s), 0) / samples.length;
  const [cycle, bytes] = [mean((s) => s.cycle), mean((s) => s.bytes)];
  const spread = samples.reduce((sum, s) => sum + (s.cycle - cycle) ** 2, 0);
  if (spread === 0 || samples.length < 2) return 0;
  return samples.reduce((sum, s) => sum + (s.cycle - cycle) * (s.bytes - bytes), 0) / spread;
}
