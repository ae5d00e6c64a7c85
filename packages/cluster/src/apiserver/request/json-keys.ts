interface Level {
  readonly path: string;
  /** Keys seen; absent for arrays. */
  readonly keys?: Set<string>;
  /** Path of the value that comes next. */
  next: string;
  index: number;
}

/**
 * Visits the keys of a text that is known to be valid JSON, in its order, with their paths (`spec.ports[0].name`).
 * @param visit is told whether the object has had the key before; false passes over what the key holds
 */
export function eachKey(text: string, visit: (path: string, repeated: boolean) => boolean): void {
  const levels: Level[] = [];
  /** Levels there are around a value that is passed over. */
  let passing: number | undefined;
  for (let i = 0; i < text.length; i++) {
    const level = levels.at(-1);
    const char = text[i];
    if (char === '{') levels.push({ path: level?.next ?? '', keys: new Set(), next: '', index: 0 });
    else if (char === '[') levels.push({ path: level?.next ?? '', next: `${level?.next ?? ''}[0]`, index: 0 });
    else if (char === '}' || char === ']') {
      if (passing === levels.length) passing = undefined;
      levels.pop();
    } else if (char === ',' && level) {
      if (passing === levels.length) passing = undefined;
      if (!level.keys) level.next = `${level.path}[${++level.index}]`;
    } else if (char === '"') {
      const end = endOfString(text, i);
      if (level?.keys && isKey(text, end) && passing === undefined) {
        const key = JSON.parse(text.slice(i, end)) as string;
        level.next = level.path === '' ? key : `${level.path}.${key}`;
        if (!visit(level.next, level.keys.has(key))) passing = levels.length;
        level.keys.add(key);
      }
      i = end - 1;
    }
  }
}

/** Index after the string that starts at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}
