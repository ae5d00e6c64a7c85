const warning = /\d{3}\s+\S+\s+"((?:[^"\\]|\\.)*)"/g;

/** The texts of `Warning` headers: `299 - "v1beta1 is deprecated"`. Several may share one header. */
export function warningTexts(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const lines = typeof header === 'string' ? [header] : header;
  return lines.flatMap((line) => [...line.matchAll(warning)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1')));
}
