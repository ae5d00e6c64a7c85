const strings = [
  /[rRbB]{0,2}"""(?:\\[\s\S]|[^\\])*?"""/,
  /[rRbB]{0,2}'''(?:\\[\s\S]|[^\\])*?'''/,
  /\b(?:[rR][bB]?|[bB][rR])(?:"[^"]*"|'[^']*')/,
  /"(?:\\[\s\S]|[^"\\])*"/,
  /'(?:\\[\s\S]|[^'\\])*'/,
];
const gap = /(?:\s*(?:\/\/[^\r\n]*)?[\r\n]\s*)+|\s*\/\/[^\r\n]*$/;
const token = new RegExp(`(?<text>${strings.map(({ source }) => source).join('|')})|${gap.source}`, 'g');

/**
 * A rule written on several lines as one line: the server insists on a message for rules with line breaks.
 * Line breaks inside strings are part of the value and stay; comments go.
 */
export function ruleOnOneLine(rule: string): string {
  return /[\r\n]/.test(rule) ? rule.replace(token, (_, text: string | undefined) => text ?? ' ').trim() : rule;
}
