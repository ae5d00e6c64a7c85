const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const escapes: Readonly<Record<string, string>> = { __: 'underscores', '.': 'dot', '-': 'dash', '/': 'slash' };
const unescapes: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** A field's name as expressions write it: `a-b` is `a__dash__b`. Undefined for names that cannot be written. */
export function escapeName(name: string): string | undefined {
  if (name === '' || /^\d/.test(name) || /[^a-zA-Z0-9_./-]/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => `__${escapes[part]}__`);
}

/** The field's name behind an escaped one; undefined when the escape is not one. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let sound = true;
  const name = escaped.replace(/__[^_]+__/g, (part) => {
    const word = part.slice(2, -2);
    const plain = Object.hasOwn(unescapes, word) ? unescapes[word] : undefined;
    if (plain !== undefined) return plain;
    if (!reserved.has(word) || part.length !== escaped.length) sound = false;
    return word;
  });
  return sound ? name : undefined;
}
