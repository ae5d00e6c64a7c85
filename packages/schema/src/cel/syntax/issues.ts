/** One thing wrong with the text of an expression. `offset` counts code points; -1 means no place. */
export interface Issue {
  readonly offset: number;
  readonly message: string;
}

const maxIssues = 100;
const maxSnippet = 16_384;

/** Collects the issues of one expression and renders them as the API server shows them. */
export class Issues {
  readonly #source: string;
  readonly #issues: Issue[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  get empty(): boolean {
    return this.#issues.length === 0;
  }

  report(offset: number, message: string): void {
    this.#issues.push({ offset, message });
  }

  toString(): string {
    const lines = this.#source.split('\n').map((line) => Array.from(line));
    const shown = this.#issues.slice(0, maxIssues).map((issue) => ({ issue, place: locate(lines, issue.offset) }));
    shown.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
    const texts = shown.map(({ issue, place }) => render(lines, place, issue.message));
    const dropped = this.#issues.length - maxIssues;
    if (dropped > 0) texts.push(`${dropped} more errors were truncated`);
    return texts.join('\n');
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
}

function locate(lines: readonly (readonly string[])[], offset: number): Place {
  if (offset < 0) return { line: -1, column: -1 };
  let rest = offset;
  for (let line = 0; line < lines.length; line += 1) {
    const length = lines[line]?.length ?? 0;
    if (rest <= length) return { line: line + 1, column: rest };
    rest -= length + 1;
  }
  return { line: lines.length, column: lines.at(-1)?.length ?? 0 };
}

function render(lines: readonly (readonly string[])[], place: Place, message: string): string {
  const head = `ERROR: <input>:${place.line}:${place.column + 1}: ${message}`;
  if (place.line === 1 && lines.length === 1 && lines[0]?.length === 0) return `ERROR: <input>:1:0: ${message}`;
  const snippet = lines[place.line - 1]?.map((char) => (char === '\t' ? ' ' : char));
  if (!snippet || snippet.join('').length > maxSnippet) return head;
  const isWide = (char: string | undefined) => char !== undefined && (char.codePointAt(0) ?? 0) > 0x7f;
  const dots = snippet.slice(0, Math.max(place.column, 0)).map((char) => (isWide(char) ? '\uff0e' : '.'));
  const mark = isWide(snippet[place.column]) ? '\uff3e' : '^';
  return `${head}\n | ${snippet.join('')}\n | ${dots.join('')}${mark}`;
}
