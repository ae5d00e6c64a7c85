/** Characters that Go's JSON escapes and JavaScript's does not. */
const escaped = /[<>&\u2028\u2029]/g;

/** JSON as Go prints it. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
