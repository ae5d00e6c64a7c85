import type { Pattern } from './types.ts';

function matchesOne(text: string, pattern: string): boolean {
  if (!pattern.includes('*')) return text === pattern;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  // The middle parts in order, each as early as it can be, so that a pattern never costs more than its length times the text's.
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether a text as a whole is what a pattern says. */
export function matchesPattern(text: string, pattern: Pattern): boolean {
  return typeof pattern === 'string' ? matchesOne(text, pattern) : pattern.some((each) => matchesOne(text, each));
}
