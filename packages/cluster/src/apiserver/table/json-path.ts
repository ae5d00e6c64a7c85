/** One step of a path: a field, an index, all items, or the items that meet a condition. */
type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly literal: unknown };

/** A compiled path. Answers every value found, none when a step leads nowhere. */
export type JsonPath = (value: unknown) => readonly unknown[];

/** What makes a text no path this reader knows. */
export class JsonPathError extends Error {
  constructor(path: string, why: string) {
    super(`JSONPath ${JSON.stringify(path)}: ${why}`);
    this.name = 'JsonPathError';
  }
}

const fieldPattern = /^\.?((?:\\.|[^.[\]\\\s'"()?*=<>!])+)/;
const bracketPattern = /^\[(?:(-?\d+)|(\*)|'((?:\\.|[^'])*)'|"((?:\\.|[^"])*)")\]/;
const filterPattern = /^\[\?\(\s*@((?:[^=<>!)\s]|\[[^\]]*\])*)\s*(?:(==|!=|<=|>=|<|>)\s*([^)]+?)\s*)?\)\]/;

const unescaped = (text: string) => text.replace(/\\(.)/g, '$1');

function literalOf(text: string, whole: string): unknown {
  const quoted = /^(?:'((?:\\.|[^'])*)'|"((?:\\.|[^"])*)")$/.exec(text);
  if (quoted) return unescaped(quoted[1] ?? quoted[2] ?? '');
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  if (text === '' || Number.isNaN(number)) throw new JsonPathError(whole, `${JSON.stringify(text)} is no literal`);
  return number;
}

/** The step at the start of `rest`, and what follows it. */
function nextStep(rest: string, whole: string): readonly [Step, string] {
  const filter = filterPattern.exec(rest);
  if (filter) {
    const [text, inner = '', operator = '', literal = ''] = filter;
    const path = stepsOf(inner, whole);
    const value = operator === '' ? undefined : literalOf(literal, whole);
    return [{ kind: 'filter', path, operator, literal: value }, rest.slice(text.length)];
  }
  const bracket = bracketPattern.exec(rest);
  if (bracket) {
    const [text, index, star, single, double] = bracket;
    const after = rest.slice(text.length);
    if (index !== undefined) return [{ kind: 'index', index: Number(index) }, after];
    if (star !== undefined) return [{ kind: 'all' }, after];
    return [{ kind: 'field', name: unescaped(single ?? double ?? '') }, after];
  }
  if (rest.startsWith('.*')) return [{ kind: 'all' }, rest.slice(2)];
  const field = fieldPattern.exec(rest);
  if (!field) throw new JsonPathError(whole, `cannot read on at ${JSON.stringify(rest)}`);
  return [{ kind: 'field', name: unescaped(field[1] ?? '') }, rest.slice(field[0].length)];
}

function stepsOf(path: string, whole: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== '' && rest !== '.') {
    const [step, after] = nextStep(rest, whole);
    steps.push(step);
    rest = after;
  }
  return steps;
}

const comparisons: Readonly<Record<string, (a: never, b: never) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function meets(item: unknown, { path, operator, literal }: Step & { readonly kind: 'filter' }): boolean {
  const found = walk([item], path);
  if (operator === '') return found.length > 0;
  return found.some((value) => comparisons[operator]?.(value as never, literal as never) ?? false);
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function follow(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case 'field': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      const found = (value as Record<string, unknown>)[step.name];
      return found === undefined ? [] : [found];
    }
    case 'index': {
      const found = Array.isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'all':
      return itemsOf(value);
    case 'filter':
      return itemsOf(value).filter((item) => meets(item, step));
  }
}

function walk(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  let found = values;
  for (const step of steps) found = found.flatMap((value) => follow(value, step));
  return found;
}

/**
 * Reads the JSONPath of printer columns and subresources: `.a.b[0]`, `['x.y']`, `[*]`, `[?(@.type=="Ready")]`.
 * @throws JsonPathError when the text is no such path
 */
export function compileJsonPath(path: string): JsonPath {
  const bare = path.startsWith('{') && path.endsWith('}') ? path.slice(1, -1) : path;
  const steps = stepsOf(bare.startsWith('$') ? bare.slice(1) : bare, path);
  return (value) => walk([value], steps);
}
