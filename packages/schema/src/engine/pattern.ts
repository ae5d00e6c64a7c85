import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A pattern in RE2 syntax, matched anywhere in the text. `error` is set when it cannot be compiled; nothing matches then. */
export interface Pattern {
  readonly error?: string;
  test(text: string): boolean;
}

const cache = new Map<string, Pattern>();

/**
 * Compiles with the engine of JavaScript where both dialects agree and no input can make it slow, else with RE2,
 * which is loaded on first use.
 */
export function compilePattern(source: string): Pattern {
  let pattern = cache.get(source);
  if (!pattern) {
    pattern = compileNative(source) ?? compileRe2(source);
    cache.set(source, pattern);
  }
  return pattern;
}

let re2: typeof RE2JS | undefined;

function compileRe2(source: string): Pattern {
  re2 ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  try {
    const compiled = re2.compile(source);
    return { test: (text) => compiled.matcher(text).find() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), test: () => false };
  }
}

/** One element of the shared dialect: escape, class, group opening, quantifier or plain character. */
const token =
  /\\[dDwW]|\\[tnfr.*+?()[\]{}|^$/\\]|(?<class>\[\^?(?:\\[dwtnfr\\\]\-.^[/]|[^\\\]['])+\])|(?<open>\((?:\?:)?(?!\?))|(?<close>\))|(?<many>[*+]|\{\d+,\})|(?:\?|\{\d+(?:,\d+)?\})|(?<dot>\.)|[^\\[\](){}*+?.]/uy;

/** Undefined when the pattern leaves the shared dialect, or nests unbounded repetition. */
function compileNative(source: string): Pattern | undefined {
  const translated = translate(source);
  if (translated === undefined) return undefined;
  try {
    const compiled = new RegExp(translated, 'u');
    return { test: (text) => compiled.test(text) };
  } catch {
    return undefined;
  }
}

function translate(source: string): string | undefined {
  const repeats: boolean[] = [];
  let inGroup = false;
  let closed = false;
  let out = '';
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const match = token.exec(source);
    if (!match) return undefined;
    const { open, close, many, dot } = match.groups ?? {};
    if (many !== undefined) {
      if (closed && inGroup) return undefined;
      if (repeats.length > 0) repeats[repeats.length - 1] = true;
    }
    closed = close !== undefined;
    if (open !== undefined) repeats.push(false);
    if (closed) {
      inGroup = repeats.pop() === true;
      if (inGroup && repeats.length > 0) repeats[repeats.length - 1] = true;
    }
    out += dot === undefined ? match[0] : '[^\\n]';
  }
  return out;
}
