import { isTable, isTableList, type TomlTable, type TomlValue } from './value.ts';

const bareKey = /^[A-Za-z0-9_-]+$/;

/** Orders by the bytes of UTF-8, which is the order of code points, not that of UTF-16 units. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters a TOML string must not hold
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (character) => {
    const short = shortEscapes[character];
    return short ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

function renderKey(key: string): string {
  return bareKey.test(key) ? key : quote(key);
}

/** Digits of a number without an exponent: `1e-7` is `0.0000001`. */
function withoutExponent(text: string): string {
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', lead = '', fraction = '', power = '0'] = match;
  const digits = lead + fraction;
  const point = 1 + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The shortest text that a reader of single precision turns back into `value`. */
function shortestSingle(value: number): string {
  for (let digits = 1; digits <= 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

/** Floats always have a decimal point and never an exponent; what single precision holds exactly is printed as such. */
function renderFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? '+inf' : '-inf';
  if (Number.isInteger(value)) return `${Object.is(value, -0) ? '-0' : BigInt(value)}.0`;
  return withoutExponent(Math.fround(value) === value ? shortestSingle(value) : String(value));
}

function renderInlineTable(table: TomlTable): string {
  const pairs = Object.keys(table)
    .sort(byBytes)
    .map((key) => `${renderKey(key)} = ${renderValue(table[key] ?? '')}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function renderValue(value: TomlValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return renderFloat(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`;
  if (isTable(value)) return renderInlineTable(value);
  return value.toISOString();
}

function renderTable(table: TomlTable, prefix: string, lines: string[]): void {
  const keys = Object.keys(table).sort(byBytes);
  const isNested = (key: string) => isTable(table[key]) || isTableList(table[key]);
  for (const key of keys.filter((name) => !isNested(name))) {
    const value = table[key];
    if (value !== undefined) lines.push(`${renderKey(key)} = ${renderValue(value)}`);
  }
  for (const key of keys.filter(isNested)) {
    const path = prefix === '' ? renderKey(key) : `${prefix}.${renderKey(key)}`;
    const value = table[key];
    for (const item of isTableList(value) ? value : [value as TomlTable]) {
      lines.push('', Array.isArray(value) ? `[[${path}]]` : `[${path}]`);
      renderTable(item, path, lines);
    }
  }
}

/**
 * Writes a table the way go-toml 1.9.5 does in its alphabetical order (`spec/matrixone.md` §2.5): the bytes decide
 * whether the pods of a live cluster restart. Scalars come before tables, keys go by their bytes, every header has an
 * empty line above it (also the first), parents without scalars are printed, nothing is indented.
 * An empty table gives an empty text.
 */
export function renderToml(table: TomlTable): string {
  const lines: string[] = [];
  renderTable(table, '', lines);
  return lines.map((line) => `${line}\n`).join('');
}
