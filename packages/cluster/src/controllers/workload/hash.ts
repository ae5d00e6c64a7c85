const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short, stable name part for a JSON value: the same content gives the same text, wherever it was written.
 * @param collision raised when the text is taken by other content
 */
export function contentHash(value: unknown, collision = 0): string {
  let hash = 0x811c9dc5;
  for (const character of stableJson(value) + (collision > 0 ? `#${collision}` : '')) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return [...hash.toString(10)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** JSON with the keys of every object in order. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) => {
    if (typeof child !== 'object' || child === null || Array.isArray(child)) return child;
    return Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
