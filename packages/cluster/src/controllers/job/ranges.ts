/** `0-2,5` from numbers in any order. */
export function formatRanges(numbers: Iterable<number>): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    const separator = end === i + 1 ? ',' : '-';
    parts.push(end === i ? `${sorted[i]}` : `${sorted[i]}${separator}${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(',');
}

/** The numbers of `0-2,5`. */
export function parseRanges(text: string): number[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('-').map(Number);
      return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
    });
}
