import type { Library } from '../types/environment.ts';
import { type Overload, overload } from '../types/overload.ts';
import { formatValue } from '../values/describe.ts';
import { CelCancelled, CelError } from '../values/errors.ts';
import { ArrayList } from '../values/list.ts';
import { codePoints, joinPoints } from '../values/text.ts';
import type { Value } from '../values/value.ts';
import { integer, list, text } from './arguments.ts';
import { type FormatStyle, formatText } from './format-text.ts';

function outOfRange(index: number): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(subject: Value, at: Value): Value {
  const points = codePoints(text(subject));
  const index = integer(at);
  if (index < 0 || index > points.length) throw outOfRange(index);
  return points[index] ?? '';
}

function startsAt(points: string | string[], part: string | string[], at: number): boolean {
  for (let index = 0; index < part.length; index += 1) {
    if (points[at + index] !== part[index]) return false;
  }
  return true;
}

function indexOf(subject: Value, part: Value, offset: number): number {
  if (offset < 0) throw outOfRange(offset);
  const points = codePoints(text(subject));
  const wanted = codePoints(text(part));
  if (wanted.length === 0) return Math.min(offset, points.length);
  if (typeof points === 'string') return typeof wanted === 'string' ? points.indexOf(wanted, offset) : -1;
  for (let at = offset; at <= points.length - wanted.length; at += 1) {
    if (startsAt(points, wanted, at)) return at;
  }
  return -1;
}

function lastIndexOf(subject: Value, part: Value, offset?: number): number {
  const points = codePoints(text(subject));
  const wanted = codePoints(text(part));
  if (offset !== undefined && offset < 0) throw outOfRange(offset);
  if (wanted.length === 0) return Math.min(offset ?? points.length, points.length);
  if (offset !== undefined && offset >= points.length) return -1;
  const start = Math.min(offset ?? points.length, points.length - wanted.length);
  if (start < 0) return -1;
  if (typeof points === 'string') return typeof wanted === 'string' ? points.lastIndexOf(wanted, start) : -1;
  for (let at = start; at >= 0; at -= 1) {
    if (startsAt(points, wanted, at)) return at;
  }
  return -1;
}

function substring(subject: Value, start: number, end?: number): string {
  const points = codePoints(text(subject));
  if (end !== undefined && start > end) {
    throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > points.length) throw outOfRange(start);
  if (end !== undefined && (end < 0 || end > points.length)) throw outOfRange(end);
  return joinPoints(points, start, end);
}

const maxText = 2 ** 28;

/** Replaces up to `limit` times, all when negative. An empty part stands before each character and at the end. */
function replace(subject: string, part: string, by: string, limit: number): string {
  if (limit === 0) return subject;
  const pieces = part === '' ? ['', ...codePoints(subject), ''] : subject.split(part);
  const count = limit < 0 ? pieces.length - 1 : Math.min(limit, pieces.length - 1);
  if (subject.length + count * by.length > maxText) throw new CelCancelled();
  return (
    pieces.slice(0, count + 1).join(by) +
    pieces
      .slice(count + 1)
      .map((piece) => part + piece)
      .join('')
  );
}

function split(subject: string, separator: string, limit: number): ArrayList {
  if (limit === 0) return new ArrayList([]);
  const pieces = separator === '' ? [...codePoints(subject)] : subject.split(separator);
  if (limit < 0 || pieces.length <= limit) return new ArrayList(pieces);
  return new ArrayList([...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)]);
}

function join(items: Value, separator: string): string {
  const parts: string[] = [];
  for (const item of list(items)) {
    if (typeof item !== 'string') throw new CelError(`join: invalid input: ${formatValue(item)}`);
    parts.push(item);
  }
  return parts.join(separator);
}

const quotes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(subject: string): string {
  return `"${subject.toWellFormed().replace(/[\\"]|\p{Cc}/gu, (char) => quotes[char] ?? char)}"`;
}

const goSpace =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

/** White space as Go knows it, cut from both ends. */
export function trimSpace(subject: string): string {
  return subject.replace(goSpace, '');
}

const lower = (subject: string) => subject.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (subject: string) => subject.replace(/[a-z]+/g, (part) => part.toUpperCase());

function searching(): Overload[] {
  return [
    overload('string_char_at_int', 'string::charAt(int) -> string', charAt),
    overload('string_index_of_string', 'string::indexOf(string) -> int', (a, b) => indexOf(a, b, 0)),
    overload('string_index_of_string_int', 'string::indexOf(string, int) -> int', (a, b, c) =>
      indexOf(a, b, integer(c)),
    ),
    overload('string_last_index_of_string', 'string::lastIndexOf(string) -> int', (a, b) => lastIndexOf(a, b)),
    overload('string_last_index_of_string_int', 'string::lastIndexOf(string, int) -> int', (a, b, c) =>
      lastIndexOf(a, b, integer(c)),
    ),
  ];
}

function changing(): Overload[] {
  return [
    overload('string_lower_ascii', 'string::lowerAscii() -> string', (a) => lower(text(a))),
    overload('string_upper_ascii', 'string::upperAscii() -> string', (a) => upper(text(a))),
    overload('string_replace_string_string', 'string::replace(string, string) -> string', (a, b, c) =>
      replace(text(a), text(b), text(c), -1),
    ),
    overload('string_replace_string_string_int', 'string::replace(string, string, int) -> string', (a, b, c, d) =>
      replace(text(a), text(b), text(c), integer(d)),
    ),
    overload('string_split_string', 'string::split(string) -> list(string)', (a, b) => split(text(a), text(b), -1)),
    overload('string_split_string_int', 'string::split(string, int) -> list(string)', (a, b, c) =>
      split(text(a), text(b), integer(c)),
    ),
    overload('string_substring_int', 'string::substring(int) -> string', (a, b) => substring(a, integer(b))),
    overload('string_substring_int_int', 'string::substring(int, int) -> string', (a, b, c) =>
      substring(a, integer(b), integer(c)),
    ),
    overload('string_trim', 'string::trim() -> string', (a) => trimSpace(text(a))),
    overload('list_join', 'list(string)::join() -> string', (a) => join(a, '')),
    overload('list_join_string', 'list(string)::join(string) -> string', (a, b) => join(a, text(b))),
    overload('strings_quote', 'strings.quote(string) -> string', (a) => quote(text(a))),
  ];
}

/** The extension for texts. `reverse` came after the version that Kubernetes has. */
export function stringsLibrary({ style, reverse }: { style: FormatStyle; reverse: boolean }): Library {
  const backwards = overload('string_reverse', 'string::reverse() -> string', (a) => [...text(a)].reverse().join(''));
  return {
    overloads: [
      ...searching(),
      ...changing(),
      overload('string_format', 'string::format(list(dyn)) -> string', (a, b) => formatText(text(a), list(b), style)),
      ...(reverse ? [backwards] : []),
    ],
  };
}
