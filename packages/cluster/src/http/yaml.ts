import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type ScalarTag,
  stringify,
  type Tags,
} from 'yaml';
import { exactNumber } from '../apiserver/request/json-number.ts';
import { tagFault, yamlFault } from './yaml-fault.ts';

/** A text that is no YAML. The message is that of Go's reader where it has one. */
export class YamlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'YamlError';
  }
}

export interface DecodedYaml {
  readonly body: unknown;
  /** Keys that a mapping has more than once: `line 7: key "k" already set in map`. */
  readonly repeated: readonly string[];
}

/** Types of YAML 1.1 that Kubernetes' own reader leaves as strings. */
const leftOut = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
]);

/** Go takes the octal form of YAML 1.2 too. */
const newOctal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text) => BigInt(text.replaceAll(/[_+]/g, '').replace('-', '')) * (text.startsWith('-') ? -1n : 1n),
};

function dialect(tags: Tags): Tags {
  const kept = tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && tag.format !== 'TIME'));
  return [newOctal, ...kept];
}

/**
 * One YAML document in the dialect of Kubernetes: YAML 1.1 (`yes` and `on` are booleans, `0644` is octal) without dates and
 * base-60 numbers. What comes after the first document is not looked at. Whole numbers of 64 bits are exact.
 * @throws YamlError
 */
export function parseYaml(text: string): DecodedYaml {
  try {
    return parse(text);
  } catch (error) {
    // The library follows nested values with the stack.
    throw error instanceof RangeError ? new YamlError('yaml: exceeded max depth of 10000') : error;
  }
}

function parse(text: string): DecodedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    // Looked for below: the library's own search compares every key with every other.
    uniqueKeys: false,
    // Or it tells this process of what is odd in a client's text.
    logLevel: 'error',
    lineCounter: lines,
    intAsBigInt: true,
    customTags: dialect,
  });
  const problem =
    document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS') ??
    document.warnings.find(({ code }) => code === 'BAD_DIRECTIVE');
  if (problem) throw new YamlError(yamlFault(problem, text, lines));
  const tag = document.warnings.find(({ code, pos }) => code === 'TAG_RESOLVE_FAILED' && text.startsWith('!!', pos[0]));
  if (tag) throw new YamlError(tagFault(tag, text));
  const repeated: string[] = [];
  noteRepeated(document.contents, lines, repeated);
  return { body: bodyOf(document), repeated };
}

/** Values that a document may have when all its aliases are written out. */
const maxValues = 1_000_000;

/** The value of a document. Aliases share their values, which makes a few lines worth billions. */
function bodyOf(document: Document): unknown {
  const body = unaliased(document);
  if (sizeOf(body, new Map()) > maxValues) throw new YamlError('yaml: document contains excessive aliasing');
  return jsonOf(body, new Map());
}

function unaliased(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const anchor = /^Unresolved alias.*: (.*)$/.exec(why)?.[1];
    throw new YamlError(anchor === undefined ? `yaml: ${why}` : `yaml: unknown anchor '${anchor}' referenced`);
  }
}

/** Values in a value, each shared one counted wherever it is; those of a value that holds itself have no end. */
function sizeOf(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const found = known.get(value);
  if (found !== undefined) return found;
  known.set(value, Number.POSITIVE_INFINITY);
  let size = 1;
  for (const item of Object.values(value)) size += sizeOf(item, known);
  known.set(value, size);
  return size;
}

/** The value with its numbers as JSON has them; in place, what is shared once. */
function jsonOf(value: unknown, known: Map<object, unknown>): unknown {
  if (typeof value === 'bigint') return exactNumber(Number(value), String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
    throw new YamlError(`json: unsupported value: ${name}`);
  }
  if (typeof value !== 'object' || value === null || known.has(value)) return value;
  known.set(value, value);
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    const exact = jsonOf(item, known);
    if (exact !== item) fields[key] = exact;
  }
  return value;
}

export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}

/** Notes the keys that a mapping has more than once, those of the values in it first. */
function noteRepeated(node: unknown, lines: LineCounter, found: string[]): void {
  if (isSeq(node)) for (const item of node.items) noteRepeated(item, lines, found);
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    noteRepeated(value, lines, found);
    const name = isScalar(key) ? key.value : key;
    checkKey(name, value);
    const shown = typeof name === 'string' ? JSON.stringify(name) : String(name);
    if (seen.has(shown))
      found.push(`line ${lineOf(value, lines) ?? lineOf(key, lines)}: key ${shown} already set in map`);
    seen.add(shown);
  }
}

/** JSON has no keys but texts; numbers and booleans can become some. */
function checkKey(name: unknown, value: unknown): void {
  if (name === null) {
    const shown = isScalar(value) && typeof value.value === 'string' ? `, value: ${JSON.stringify(value.value)}` : '';
    throw new YamlError(`unsupported map key of type: %!s(<nil>), key: <nil>${shown}`);
  }
  if (isSeq(name))
    throw new YamlError(
      `yaml: invalid map key: []interface {}{${name.items.map((item) => JSON.stringify(item)).join(', ')}}`,
    );
  if (typeof name === 'object') throw new YamlError('yaml: invalid map key: map[interface {}]interface {}');
}

function lineOf(node: unknown, lines: LineCounter): number | undefined {
  const range = (node as { readonly range?: readonly number[] } | null)?.range;
  return range?.[0] === undefined ? undefined : lines.linePos(range[0]).line;
}
