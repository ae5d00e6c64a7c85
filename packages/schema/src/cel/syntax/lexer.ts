import type { Issues } from './issues.ts';

export type TokenKind =
  | 'identifier'
  | 'escaped'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'true'
  | 'false'
  | 'null'
  | 'in'
  | 'symbol'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** In code points. */
  readonly offset: number;
}

const escapeSequence = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const quoted = [
  String.raw`[rR]"""[\s\S]*?"""`,
  String.raw`[rR]'''[\s\S]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  `"""(?:${escapeSequence}|[^\\\\])*?"""`,
  `'''(?:${escapeSequence}|[^\\\\])*?'''`,
  `"(?:${escapeSequence}|[^\\\\"\\n\\r])*"`,
  `'(?:${escapeSequence}|[^\\\\'\\n\\r])*'`,
].join('|');

const token = new RegExp(
  [
    String.raw`(?<skip>[\t \r\n\f]+|//[^\n]*)`,
    `(?<bytes>[bB](?:${quoted}))`,
    `(?<string>${quoted})`,
    String.raw`(?<double>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)`,
    '(?<uint>(?:0x[0-9a-fA-F]+|\\d+)[uU])',
    '(?<int>0x[0-9a-fA-F]+|\\d+)',
    '(?<identifier>[A-Za-z_][A-Za-z0-9_]*)',
    '(?<escaped>`[A-Za-z0-9_./ -]+`)',
    '(?<symbol>==|!=|<=|>=|&&|\\|\\||[<>[\\]{}().,\\-!?:+*/%])',
  ].join('|'),
  'uy',
);

const words: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

/** Splits the text. What fits no token is reported and skipped. */
export function tokenize(source: string, issues: Issues): Token[] {
  const offsetOf = codePointOffsets(source);
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    token.lastIndex = at;
    const match = token.exec(source);
    if (!match?.groups) {
      at = skipBad(source, at, offsetOf(at), issues);
      continue;
    }
    const text = match[0];
    if (match.groups.skip === undefined) tokens.push({ kind: kindOf(match.groups, text), text, offset: offsetOf(at) });
    at += text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: offsetOf(source.length) });
  return tokens;
}

function kindOf(groups: Readonly<Record<string, string | undefined>>, text: string): TokenKind {
  if (groups.identifier !== undefined) return words.has(text) ? (text as 'in') : 'identifier';
  for (const kind of ['symbol', 'string', 'int', 'bytes', 'double', 'uint', 'escaped'] as const) {
    if (groups[kind] !== undefined) return kind;
  }
  return 'symbol';
}

const openText = new RegExp(
  `^(?:"(?:${escapeSequence}|[^\\\\"\\n\\r])*|'(?:${escapeSequence}|[^\\\\'\\n\\r])*)(?:\\\\[^]?|[\\n\\r])?`,
  'u',
);
const halfOperator = /^[&|=][\s\S]?/u;

/** What cannot become a token: an open text up to where it breaks, half an operator, or one character. */
function skipBad(source: string, at: number, offset: number, issues: Issues): number {
  const first = String.fromCodePoint(source.codePointAt(at) ?? 0);
  const ahead = source.slice(at);
  const rest = openText.exec(ahead)?.[0] ?? halfOperator.exec(ahead)?.[0] ?? first;
  issues.report(offset, `Syntax error: token recognition error at: '${rest}'`);
  return at + rest.length;
}

function codePointOffsets(source: string): (at: number) => number {
  if (!/[\ud800-\udfff]/.test(source)) return (at) => at;
  const offsets: number[] = [];
  let count = 0;
  for (const char of source) {
    for (let unit = 0; unit < char.length; unit += 1) offsets.push(count);
    count += 1;
  }
  offsets.push(count);
  return (at) => offsets[at] ?? count;
}
