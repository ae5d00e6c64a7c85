/**
 * Paths (`spec.ports[0].name`) of the keys that occur twice or more in one object of a JSON text. `parsed` is the text's value.
 * Texts without duplicates, nearly all, cost one pass over the bytes and one over the value.
 */
export function duplicateFields(text: string, parsed: unknown): readonly string[] {
  return countColons(text) === countKeys(parsed) ? [] : findDuplicates(text);
}

/** Index after the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}

function countColons(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i) - 1;
    else if (code === 0x3a) count++;
  }
  return count;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const item of Object.values(value)) count += 1 + countKeys(item);
  return count;
}

interface Level {
  readonly path: string;
  /** Keys seen; absent for arrays. */
  readonly keys?: Set<string>;
  /** Path of the value that comes next. */
  next: string;
  index: number;
}

/** Walks a text that is known to be valid JSON. */
function findDuplicates(text: string): string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  for (let i = 0; i < text.length; i++) {
    const level = levels.at(-1);
    const char = text[i];
    if (char === '{') levels.push({ path: level?.next ?? '', keys: new Set(), next: '', index: 0 });
    else if (char === '[') levels.push({ path: level?.next ?? '', next: `${level?.next ?? ''}[0]`, index: 0 });
    else if (char === '}' || char === ']') levels.pop();
    else if (char === ',' && level && !level.keys) level.next = `${level.path}[${++level.index}]`;
    else if (char === '"') {
      const end = endOfString(text, i);
      if (level?.keys && isKey(text, end)) noteKey(level, JSON.parse(text.slice(i, end)), found);
      i = end - 1;
    }
  }
  return found;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}

function noteKey(level: Level, key: string, found: string[]): void {
  level.next = level.path === '' ? key : `${level.path}.${key}`;
  if (level.keys?.has(key) && !found.includes(level.next)) found.push(level.next);
  level.keys?.add(key);
}
