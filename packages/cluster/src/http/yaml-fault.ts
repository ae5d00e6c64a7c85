import type { LineCounter, YAMLError } from 'yaml';

/** What is said in place of a message, and whether Go's scanner (not its parser) says it: the two count lines differently. */
interface Wording {
  readonly text: string;
  readonly scanner: boolean;
  /** Said without a line. */
  readonly wherever?: boolean;
  /** At the end of the text instead of the problem. */
  readonly atEnd?: boolean;
}

const noToken: Wording = { text: 'found character that cannot start any token', scanner: true };

/** Messages of the library by what they begin with. */
const wordings: readonly (readonly [RegExp, Wording])[] = [
  [
    /^Nested mappings are not allowed|^Implicit map keys need to be|^A block map(ping)? .* not allowed/,
    { text: 'mapping values are not allowed in this context', scanner: true },
  ],
  [/^Missing closing ["']quote/, { text: 'found unexpected end of stream', scanner: true }],
  [/^Flow sequence .* end with a \]/, { text: "did not find expected ',' or ']'", scanner: false, atEnd: true }],
  [/^Flow map .* end with a \}/, { text: "did not find expected ',' or '}'", scanner: false, atEnd: true }],
  [/^Unexpected scalar at node end/, { text: "did not find expected '-' indicator", scanner: false }],
  [/^All mapping items must start at the same column/, { text: 'did not find expected key', scanner: false }],
  [
    /^A collection cannot be both a mapping and a sequence|^All sequence items must start/,
    { text: "did not find expected '-' indicator", scanner: false },
  ],
  [/^Tabs are not allowed|^Plain value cannot start with/, noToken],
  [/^Unsupported YAML version/, { text: 'found incompatible YAML document', scanner: false }],
  [/^Maximum call stack/, { text: 'exceeded max depth of 10000', scanner: false, wherever: true }],
  [/^Implicit keys need to be on a single line/, { text: "could not find expected ':'", scanner: true }],
];

/**
 * What Go's reader says of a text that is no YAML. Both readers stumble in different places over what is wrong in more than one way;
 * where the words are not known, those of the library stand.
 */
export function yamlFault(problem: YAMLError, text: string, lines: LineCounter): string {
  const message = problem.message.split('\n', 1)[0] ?? '';
  const found = wordings.find(([pattern]) => pattern.test(message))?.[1];
  if (!found) return `yaml: ${message.replace(/ at line \d+, column \d+:$/, '')}`;
  const openList = found.atEnd && /[[,]\s*$/.test(text) && message.startsWith('Flow sequence');
  const wording = openList ? { ...found, text: 'did not find expected node content' } : found;
  const line = wording.wherever ? 0 : lineOf(problem, wording, text, lines);
  return `yaml: ${line === 0 ? '' : `line ${line}: `}${wording.text}`;
}

/** Lines count from 0 in Go, which leaves out the first; its scanner adds one. */
function lineOf(problem: YAMLError, { scanner, atEnd = false }: Wording, text: string, lines: LineCounter): number {
  if (atEnd) return text.trimEnd().split('\n').length;
  const [start, end] = problem.pos;
  const colon = scanner ? text.indexOf(':', start) : -1;
  const line = lines.linePos(Math.max(colon, end - 1)).line - 1;
  return line === 0 ? 0 : line + (scanner ? 1 : 0);
}

/** What Go says of a value that is not of the type its tag names: `!!int x`. */
export function tagFault({ pos: [start, end] }: YAMLError, text: string): string {
  const value = text.slice(end).trim().split('\n', 1)[0];
  return `yaml: cannot decode !!str \`${value}\` as a ${text.slice(start, end).trim()}`;
}
