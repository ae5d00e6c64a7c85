const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
/** FNV, 32 bits. */
const offset = 0x811c9dc5;
const prime = 0x01000193;

/**
 * A short, stable name part for a JSON value: the same content gives the same text, wherever it was written.
 * @param collision raised when the text is taken by other content
 */
export function contentHash(value: unknown, collision = 0): string {
  let hash = offset;
  for (const character of stableJson(value) + (collision > 0 ? `#${collision}` : ''))
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), prime) >>> 0;
  return safeText(hash);
}

/**
 * The name part of a revision as Kubernetes makes it: FNV-1 over the bytes of its data and the collision count, in letters that make no words.
 * @param data as JSON
 */
export function revisionHash(data: string, collision: number): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(`${data}${collision}`)) hash = (Math.imul(hash, prime) ^ byte) >>> 0;
  return safeText(hash);
}

function safeText(hash: number): string {
  return [...hash.toString(10)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** JSON with the keys of every object in order. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) => {
    if (typeof child !== 'object' || child === null || Array.isArray(child)) return child;
    return Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
