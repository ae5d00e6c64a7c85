/** A word for `sh` that means exactly this text. */
export function quote(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Words for `sh`. */
export function quoteAll(words: readonly string[]): string {
  return words.map(quote).join(' ');
}
