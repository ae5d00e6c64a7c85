/** A table as markdown: a heading and a row each, numbers to the right. */
export function markdownTable(heading: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const rule = heading.map((_, i) => (typeof rows[0]?.[i] === 'number' ? '---:' : '---'));
  return [heading, rule, ...rows].map(line).join('\n');
}
