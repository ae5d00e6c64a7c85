import { compilePattern } from '../engine/pattern.ts';

/**
 * A pattern as a CRD holds it.
 * @throws TypeError when RE2 cannot read it, or when a `RegExp` has flags that RE2 has no word for
 */
export function checkedPattern(pattern: string | RegExp): string {
  const text = typeof pattern === 'string' ? pattern : sourceOf(pattern);
  const { error } = compilePattern(text);
  if (error === undefined) return text;
  const advice = 'the API server reads patterns as RE2, which has no look-around and no back-references';
  throw new TypeError(`pattern ${JSON.stringify(text)} is not RE2: ${error}; ${advice}`);
}

function sourceOf({ source, flags }: RegExp): string {
  const foreign = flags.replace(/[ims]/g, '');
  if (foreign !== '') throw new TypeError(`pattern /${source}/${flags}: flags other than i, m and s mean nothing here`);
  const plain = source.replace(/\\(.)/gs, (pair, char) => (char === '/' ? '/' : pair));
  return flags === '' ? plain : `(?${flags})${plain}`;
}
