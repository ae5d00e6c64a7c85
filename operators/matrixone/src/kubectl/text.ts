/**
 * What could steer a terminal or turn the order of a line around: control characters of both sets, line separators, and the marks of
 * writing direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function shown(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A text of others as one line for a terminal: what could steer it is shown as `\x1b`. Tabs and line ends become spaces. */
export function plain(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').replace(steering, shown);
}

/** A line of a log for a terminal: as `plain`, but tabs stay. */
export function plainLine(line: string): string {
  return line.replace(steering, (character) => (character === '\t' ? character : shown(character)));
}

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** A length of time for people, in its two largest units: `45s`, `2m30s`, `3h`, `5d4h`. @param ms below 0 counts as 0 */
export function age(ms: number): string {
  const first = units.findIndex(([, size]) => ms >= size);
  if (first < 0) return '0s';
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.join('');
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
