import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A pattern in RE2 syntax, matched anywhere in the text. `error` is set when it cannot be compiled; nothing matches then. */
export interface Pattern {
  readonly error?: string;
  test(text: string): boolean;
}

/** Texts of objects can be patterns too: those that are used again are kept, not all there ever were. */
const cacheLimit = 2000;
const cache = new Map<string, Pattern>();

/**
 * Compiles with the engine of JavaScript where both dialects agree and no input can make it slow, else with RE2,
 * which is loaded on first use.
 */
export function compilePattern(source: string): Pattern {
  let pattern = cache.get(source);
  if (!pattern) {
    pattern = compileNative(source) ?? compileRe2(source);
    if (cache.size >= cacheLimit) cache.clear();
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
  /\\[dDwW]|\\[tnfr.*+?()[\]{}|^$/\\]|(?<class>\[\^?(?:\\[dwtnfr\\\]\-.^[/]|[^\\\]['])+\])|(?<open>\((?:\?:)?(?!\?))|(?<close>\))|(?<many>[*+]|\{\d+,\d*\})|(?<times>\{\d+\})|(?<maybe>\?)|(?<dot>\.)|[^\\[\](){}*+?.]/uy;

interface Translated {
  readonly source: string;
  /** Characters of a text up to which no text of that length takes more than {@link budget} steps, as far as is known. */
  readonly limit: number;
}

/** Steps that a match may take: a fraction of a second. The engine tries all ways to read a text. */
const budget = 1e8;
/** Go's, for groups in groups. */
const deepest = 1000;
/** Go's, for `{n,m}`. */
const mostRepeats = 1000;

/** Undefined when the pattern leaves the shared dialect, or repeats what matches in several ways. */
function compileNative(source: string): Pattern | undefined {
  const translated = translate(source);
  if (translated === undefined) return undefined;
  const { limit } = translated;
  try {
    const compiled = new RegExp(translated.source, 'u');
    let linear: Pattern | undefined;
    return {
      test(text) {
        if (text.length <= limit) return compiled.test(text);
        linear ??= compileRe2(source);
        return linear.test(text);
      },
    };
  } catch {
    return undefined;
  }
}

function translate(source: string): Translated | undefined {
  /** Of each open group: whether it matches in several ways. */
  const groups: boolean[] = [];
  let inGroup = false;
  let closed = false;
  let open = 0;
  let optional = 0;
  let out = '';
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const match = token.exec(source);
    if (!match) return undefined;
    const part = match.groups ?? {};
    const repeats = part['many'] !== undefined || part['times'] !== undefined;
    if (repeats && closed && inGroup) return undefined;
    if (part['many'] !== undefined) open++;
    if (part['maybe'] !== undefined) optional++;
    if (repeats && (match[0].match(/\d+/g) ?? []).some((count) => Number(count) > mostRepeats)) return undefined;
    const varies = part['many'] !== undefined || part['maybe'] !== undefined || match[0] === '|';
    if (varies && groups.length > 0) groups[groups.length - 1] = true;
    closed = part['close'] !== undefined;
    if (part['open'] !== undefined) groups.push(false);
    if (groups.length > deepest) return undefined;
    if (closed) {
      inGroup = groups.pop() === true;
      if (inGroup && groups.length > 0) groups[groups.length - 1] = true;
    }
    out += part['dot'] === undefined ? match[0] : '[^\\n]';
  }
  return { source: out, limit: limitOf(source.length, open, optional) };
}

/** Each open repetition can end at every place of the text, and the match begin at every one. */
function limitOf(length: number, open: number, optional: number): number {
  return Math.floor(Math.min((budget / 2 ** optional) ** (1 / (open + 1)), budget / Math.max(1, length)));
}
