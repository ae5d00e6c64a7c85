import { own } from '../../json.ts';
import type { SchemaNode } from '../../node.ts';

const token = /'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]']+/y;

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * The `fieldPath` of a rule in the notation of errors: `.spec.x['a']` is `spec.x[a]`. Undefined when the schema has no
 * such field.
 */
export function normalizeFieldPath(path: string, schema: SchemaNode): string | undefined {
  const tokens = tokenize(path);
  let node: SchemaNode | undefined = schema;
  let result = '';
  for (let at = 0; at < tokens.length; ) {
    const step = readStep(tokens, at);
    if (!step || !node) return undefined;
    at = step.next;
    if (node.properties) {
      node = own(node.properties, step.name);
      if (!node) return undefined;
      result += result === '' ? step.name : `.${step.name}`;
    } else if (typeof node.additionalProperties === 'object') {
      node = node.additionalProperties;
      result += `[${step.name}]`;
    } else return undefined;
  }
  return result;
}

function tokenize(path: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let match = token.exec(path); match; match = token.exec(path)) tokens.push(match[0]);
  return tokens.join('') === path ? tokens : [path];
}

/** `.name` or `['name']`. */
function readStep(tokens: readonly string[], at: number): { name: string; next: number } | undefined {
  const name = tokens[at + 1];
  if (name === undefined) return undefined;
  if (tokens[at] === '.') return { name, next: at + 2 };
  if (tokens[at] !== '[' || !/^'.*'$/s.test(name) || tokens[at + 2] !== ']') return undefined;
  let sound = true;
  const plain = name.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => {
    const found = escapes[char];
    if (found === undefined) sound = false;
    return found ?? '';
  });
  return sound ? { name: plain, next: at + 3 } : undefined;
}
