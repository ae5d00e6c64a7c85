import { type CallExpr, type EntryExpr, type Expr, type FieldExpr, operators, type SelectExpr } from './ast.ts';
import { Issues } from './issues.ts';
import { type Token, tokenize } from './lexer.ts';
import { type Literal, readBytes, readDouble, readInt, readString, readUint } from './literals.ts';
import { expandMacro, type MacroSet } from './macros.ts';

export interface ParseOptions {
  readonly macros: MacroSet;
}

export type ParseResult = { readonly expr: Expr } | { readonly issues: Issues };

const maxDepth = 250;
const maxSize = 100_000;

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

const relations: ReadonlySet<string> = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
const sums: ReadonlySet<string> = new Set(['+', '-']);
const products: ReadonlySet<string> = new Set(['*', '/', '%']);
const openers: ReadonlySet<string> = new Set(['(', '[', '{', '!', '-']);
const starters =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Stops the parser; the issue is already reported. */
class Stop {}

/** Reads an expression and unfolds its macros. Never throws. */
export function parse(source: string, options: ParseOptions): ParseResult {
  const issues = new Issues(source);
  if (source.length > maxSize && Array.from(source).length > maxSize) {
    const size = Array.from(source).length;
    issues.report(-1, `expression code point size exceeds limit: size: ${size}, limit ${maxSize}`);
    return { issues };
  }
  const parser = new Parser(tokenize(source, issues), issues, options);
  try {
    const expr = parser.start();
    return issues.empty ? { expr } : { issues };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { issues };
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #issues: Issues;
  readonly #options: ParseOptions;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: Issues, options: ParseOptions) {
    this.#tokens = tokens;
    this.#issues = issues;
    this.#options = options;
  }

  start(): Expr {
    const expr = this.#expr();
    if (this.#token.kind !== 'end') this.#unexpected(this.#next?.kind === 'end' ? 'extraneous' : 'mismatched', '<EOF>');
    return expr;
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '<EOF>', offset: 0 };
  }

  get #next(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  #take(): Token {
    const token = this.#token;
    this.#at += 1;
    return token;
  }

  #is(text: string): boolean {
    const { kind, text: own } = this.#token;
    return own === text && (kind === 'symbol' || kind === 'in');
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  /** @param insertable whether the token in its place would make sense after the missing one */
  #expect(text: string, wanted = `'${text}'`, insertable = false): Token {
    const token = this.#accept(text);
    if (token) return token;
    const { kind, text: next } = this.#next ?? this.#token;
    if (kind === 'symbol' && next === text) this.#unexpected('extraneous', wanted);
    if (!insertable) this.#unexpected('mismatched', wanted);
    this.#issues.report(this.#token.offset, `Syntax error: missing '${text}' at '${this.#token.text}'`);
    throw new Stop();
  }

  /** Whether an expression can go on or end here. */
  get #afterOperand(): boolean {
    const { kind, text } = this.#token;
    return kind === 'end' || kind === 'in' || (kind === 'symbol' && !openers.has(text));
  }

  #unexpected(how: 'mismatched' | 'extraneous', wanted: string): never {
    const { text, offset } = this.#token;
    this.#issues.report(offset, `Syntax error: ${how} input '${text}' expecting ${wanted}`);
    throw new Stop();
  }

  /** One level deeper, within the limit that keeps every later walk off the end of the stack. */
  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maxDepth) this.#tooDeep();
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #tooDeep(): never {
    this.#issues.report(-1, `expression recursion limit exceeded: ${maxDepth}`);
    throw new Stop();
  }

  #expr(): Expr {
    return this.#nested(() => {
      const condition = this.#logic('||', operators.or, () =>
        this.#logic('&&', operators.and, () => this.#binary(relations, () => this.#sum())),
      );
      const question = this.#accept('?');
      if (!question) return condition;
      const yes = this.#logic('||', operators.or, () =>
        this.#logic('&&', operators.and, () => this.#binary(relations, () => this.#sum())),
      );
      this.#expect(':');
      return call(question.offset, operators.conditional, [condition, yes, this.#expr()]);
    });
  }

  #logic(symbol: string, name: string, operand: () => Expr): Expr {
    const first = operand();
    if (!this.#is(symbol)) return first;
    const args = [first];
    const { offset } = this.#token;
    while (this.#accept(symbol)) args.push(operand());
    return call(offset, name, args);
  }

  #sum(): Expr {
    return this.#binary(sums, () => this.#binary(products, () => this.#unary()));
  }

  #binary(symbols: ReadonlySet<string>, operand: () => Expr): Expr {
    let left = operand();
    for (let depth = 1; ; depth += 1) {
      const { kind, text } = this.#token;
      if ((kind !== 'symbol' && kind !== 'in') || !symbols.has(text)) return left;
      if (depth > maxDepth) this.#tooDeep();
      const { offset } = this.#take();
      left = call(offset, text === 'in' ? operators.in : `_${text}_`, [left, operand()]);
    }
  }

  #unary(): Expr {
    const { offset, text } = this.#token;
    if (!this.#is('!') && !this.#is('-')) return this.#member();
    const number = text === '-' && (this.#next?.kind === 'int' || this.#next?.kind === 'double');
    if (number) return this.#member();
    let count = 0;
    while (this.#accept(text)) count += 1;
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return call(offset, text === '!' ? operators.not : operators.negate, [operand]);
  }

  #member(): Expr {
    let expr = this.#primary();
    for (let depth = 1; ; depth += 1) {
      if (!this.#is('.') && !this.#is('[')) return expr;
      if (depth > maxDepth) this.#tooDeep();
      expr = this.#is('.') ? this.#select(expr) : this.#index(expr);
    }
  }

  #select(operand: Expr): Expr {
    const { offset } = this.#take();
    const optional = this.#accept('?');
    const name = this.#take();
    if (name.kind !== 'identifier' && name.kind !== 'escaped') {
      this.#at -= 1;
      if (/^(?:true|false|null)$/.test(name.text)) this.#unexpected('mismatched', 'IDENTIFIER');
      const shown = name.kind === 'end' ? '' : name.text;
      this.#issues.report(name.offset, `Syntax error: no viable alternative at input '.${shown}'`);
      throw new Stop();
    }
    const field = name.kind === 'escaped' ? name.text.slice(1, -1) : name.text;
    if (optional) {
      const constant: Expr = { kind: 'const', offset: name.offset, value: field };
      return call(offset, operators.optSelect, [operand, constant]);
    }
    const open = name.kind === 'identifier' ? this.#accept('(') : undefined;
    if (open) return this.#macroOrCall(open.offset, name.text, this.#arguments(), operand);
    return { kind: 'select', offset, operand, field, test: false } satisfies SelectExpr;
  }

  #index(operand: Expr): Expr {
    const { offset } = this.#take();
    const optional = this.#accept('?');
    if (this.#is(']')) this.#unexpected('mismatched', starters.replace("'!', ", "'!', '?', "));
    const index = this.#expr();
    this.#expect(']', "']'", this.#afterOperand);
    return call(offset, optional ? operators.optIndex : operators.index, [operand, index]);
  }

  #macroOrCall(offset: number, name: string, args: readonly Expr[], target?: Expr): Expr {
    const expanded = expandMacro(this.#options.macros, { name, offset, target, args });
    if (!expanded) return { kind: 'call', offset, name, args, ...(target && { target }) } satisfies CallExpr;
    if ('expr' in expanded) return expanded.expr;
    this.#issues.report(expanded.offset, expanded.error);
    return { kind: 'const', offset, value: null };
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(')')) return args;
    do args.push(this.#expr());
    while (this.#accept(','));
    this.#expect(')', this.#next?.text === ')' ? "')'" : "{')', ','}");
    return args;
  }

  #primary(): Expr {
    const token = this.#token;
    const literal = this.#literal();
    if (literal) return this.#constant(token.offset, literal);
    if (this.#accept('(')) {
      const expr = this.#expr();
      this.#expect(')', "')'", this.#afterOperand);
      return expr;
    }
    if (this.#accept('[')) return this.#list(token.offset);
    if (this.#accept('{')) return { kind: 'map', offset: token.offset, entries: this.#entries() };
    return this.#name();
  }

  #literal(): Literal | undefined {
    const negative = this.#is('-');
    const { kind, text } = (negative ? this.#next : this.#token) ?? this.#token;
    const result = literalOf(kind, text, negative);
    if (result) this.#at += negative ? 2 : 1;
    return result;
  }

  #constant(offset: number, literal: Literal): Expr {
    if ('value' in literal) return { kind: 'const', offset, value: literal.value };
    this.#issues.report(offset, literal.error);
    return { kind: 'const', offset, value: null };
  }

  #list(offset: number): Expr {
    const elements: Expr[] = [];
    const optional = new Set<number>();
    while (!this.#is(']')) {
      if (this.#accept('?')) optional.add(elements.length);
      elements.push(this.#expr());
      if (!this.#accept(',')) break;
    }
    this.#expect(']', "{']', ','}");
    return { kind: 'list', offset, elements, optional };
  }

  #entries(): EntryExpr[] {
    const entries: EntryExpr[] = [];
    while (!this.#is('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expr();
      const { offset } = this.#expect(':', "':'", !this.#afterOperand);
      entries.push({ offset, key, value: this.#expr(), optional });
      if (!this.#accept(',')) break;
    }
    this.#expect('}', "{'}', ','}");
    return entries;
  }

  /** A variable, a global call or a message, with an optional leading dot. */
  #name(): Expr {
    const { offset } = this.#token;
    const dot = this.#accept('.') ? '.' : '';
    const token = this.#token;
    if (token.kind !== 'identifier') {
      const skippable = this.#next !== undefined && startsOperand(this.#next) && token.kind === 'symbol';
      this.#unexpected(skippable ? 'extraneous' : 'mismatched', dot === '' ? starters : 'IDENTIFIER');
    }
    this.#take();
    const message = this.#message(`${dot}${token.text}`);
    if (message) return message;
    if (reserved.has(token.text)) this.#issues.report(offset, `reserved identifier: ${token.text}`);
    const open = this.#accept('(');
    if (open) return this.#macroOrCall(open.offset, `${dot}${token.text}`, this.#arguments());
    return { kind: 'ident', offset: token.offset, name: `${dot}${token.text}` };
  }

  /** `a.b.C{…}`: looks ahead over the dotted name for the brace. */
  #message(first: string): Expr | undefined {
    let ahead = this.#at;
    let name = first;
    while (this.#tokens[ahead]?.text === '.' && this.#tokens[ahead + 1]?.kind === 'identifier') {
      name += `.${this.#tokens[ahead + 1]?.text}`;
      ahead += 2;
    }
    const open = this.#tokens[ahead];
    if (open?.kind !== 'symbol' || open.text !== '{') return undefined;
    this.#at = ahead + 1;
    const fields: FieldExpr[] = [];
    while (!this.#is('}')) {
      const optional = this.#accept('?') !== undefined;
      const field = this.#take();
      if (field.kind !== 'identifier' && field.kind !== 'escaped') {
        this.#at -= 1;
        this.#unexpected('mismatched', "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
      }
      const { offset } = this.#expect(':');
      const text = field.kind === 'escaped' ? field.text.slice(1, -1) : field.text;
      fields.push({ offset, name: text, value: this.#expr(), optional });
      if (!this.#accept(',')) break;
    }
    this.#expect('}', "{'}', ','}");
    return { kind: 'struct', offset: open.offset, name, fields };
  }
}

function startsOperand({ kind, text }: Token): boolean {
  return kind === 'symbol' ? openers.has(text) || text === '.' : kind !== 'end' && kind !== 'in' && kind !== 'escaped';
}

function call(offset: number, name: string, args: readonly Expr[]): Expr {
  return { kind: 'call', offset, name, args };
}

function literalOf(kind: Token['kind'], text: string, negative: boolean): Literal | undefined {
  if (kind === 'int') return readInt(text, negative);
  if (kind === 'double') return readDouble(text, negative);
  if (negative) return undefined;
  switch (kind) {
    case 'uint':
      return readUint(text);
    case 'string':
      return readString(text);
    case 'bytes':
      return readBytes(text);
    case 'true':
      return { value: true };
    case 'false':
      return { value: false };
    case 'null':
      return { value: null };
    default:
      return undefined;
  }
}
