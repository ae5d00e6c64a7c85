import { qualifiedNameErrors } from './label-syntax.ts';
import { type Requirement, requirement, type Selector, SelectorError } from './selector.ts';

interface Token {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

const end: Token = { kind: 'end', text: '' };
const tokenPattern = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))/y;

/** Reads `a=b,c!=d,e in (x,y),f notin (z),g,!h,n>5`. The empty text selects everything. @throws SelectorError */
export function parseSelector(text: string): Selector {
  const tokens = tokenize(text);
  const selector: Requirement[] = [];
  let at = 0;
  const peek = () => tokens[at] ?? end;
  const take = () => tokens[at++] ?? end;
  while (peek() !== end) {
    if (peek().kind === 'symbol' && peek().text !== '!') {
      throw new SelectorError(`found '${peek().text}', expected: !, identifier, or 'end of string'`);
    }
    selector.push(parseRequirement(peek, take));
    const next = take();
    if (next === end) break;
    if (next.text !== ',' || next.kind !== 'symbol') {
      throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
    }
    if (peek().kind !== 'word' && peek().text !== '!') {
      throw new SelectorError(`found '${peek().text}', expected: identifier after ','`);
    }
  }
  return selector;
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(text); match; match = tokenPattern.exec(text)) {
    tokens.push(match[1] === undefined ? { kind: 'word', text: match[2] ?? '' } : { kind: 'symbol', text: match[1] });
  }
  return tokens;
}

function parseRequirement(peek: () => Token, take: () => Token): Requirement {
  const negated = peek().kind === 'symbol' && take().text === '!';
  const key = take();
  if (key.kind !== 'word') throw unable(`found '${key.text}', expected: identifier`);
  const errors = qualifiedNameErrors(key.text);
  // The server has no path for a key in a text, and prints that.
  if (errors.length > 0) throw unable(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${errors.join('; ')}`);
  try {
    if (negated) return requirement(key.text, '!', []);
    if (peek() === end || peek().text === ',') return requirement(key.text, 'exists', []);
    return parseOperation(key.text, peek, take);
  } catch (error) {
    throw unable((error as Error).message);
  }
}

function parseOperation(key: string, peek: () => Token, take: () => Token): Requirement {
  const { text: operator } = take();
  switch (operator) {
    case '=':
    case '==':
      return requirement(key, 'in', [parseValue(peek, take)]);
    case '!=':
      return requirement(key, 'notin', [parseValue(peek, take)]);
    case '>':
      return requirement(key, 'gt', [parseValue(peek, take)]);
    case '<':
      return requirement(key, 'lt', [parseValue(peek, take)]);
    case 'in':
    case 'notin':
      return requirement(key, operator, parseValues(peek, take));
    default:
      throw new SelectorError(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function parseValue(peek: () => Token, take: () => Token): string {
  if (peek() === end || (peek().kind === 'symbol' && peek().text === ',')) return '';
  const value = take();
  if (value.kind !== 'word') throw new SelectorError(`found '${value.text}', expected: identifier`);
  return value.text;
}

/** `(x,y)`; a missing value between commas is the empty string. */
function parseValues(peek: () => Token, take: () => Token): readonly string[] {
  const open = take();
  if (open.text !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
  const values = new Set<string>();
  const first = peek();
  if (first.kind !== 'word' && first.text !== ',' && first.text !== ')') {
    throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  for (;;) {
    values.add(peek().kind === 'word' ? take().text : '');
    const next = take();
    if (next.text === ')') return [...values].sort();
    if (next.text !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
  }
}

function unable(message: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${message}`);
}
