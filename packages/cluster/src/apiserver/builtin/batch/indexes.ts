/** What is wrong with a list of indexes (`0-2,5`), or how many it names. */
export type Indexes = { readonly fault: string } | { readonly count: number };

const numeral = /^[+-]?\d+$/;

function intervalOf(text: string, completions: number): { readonly fault: string } | readonly [number, number] {
  const limits = text.split('-');
  if (limits.length > 2) {
    return {
      fault: `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  }
  for (const limit of limits) {
    if (!numeral.test(limit)) return { fault: `cannot convert string to integer for index: ${JSON.stringify(limit)}` };
    if (Number(limit) >= completions) return { fault: `too large index: ${JSON.stringify(limit)}` };
  }
  const [first = 0, last = first] = limits.map(Number);
  if (limits.length === 2 && first >= last)
    return { fault: `non-increasing order, previous: ${first}, current: ${last}` };
  return [first, last];
}

/** Reads indexes of a job with this many completions; an empty text names none. */
export function parseIndexes(text: string, completions: number): Indexes {
  if (text === '') return { count: 0 };
  let count = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = intervalOf(part, completions);
    if ('fault' in interval) return interval;
    const [first, last] = interval;
    if (previous !== undefined && previous >= first) {
      return { fault: `non-increasing order, previous: ${previous}, current: ${first}` };
    }
    count += last - first + 1;
    previous = last;
  }
  return { count };
}
