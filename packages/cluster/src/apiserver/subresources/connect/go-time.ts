import { badRequest, parseTime } from '@coxswain/runtime/core';

/** The parts of RFC 3339 by the names that Go's errors call them. */
const parts: readonly (readonly [name: string, pattern: RegExp, range?: readonly [number, number, string]])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/, [1, 12, 'month']],
  ['-', /^-/],
  ['02', /^\d{2}/, [1, 31, 'day']],
  ['T', /^T/],
  ['15', /^\d{2}/, [0, 23, 'hour']],
  [':', /^:/],
  ['04', /^\d{2}/, [0, 59, 'minute']],
  [':', /^:/],
  ['05', /^\d{2}([.,]\d+)?/, [0, 59, 'second']],
  ['Z07:00', /^(Z|[+-]([01]\d|2[0-3]):[0-5]\d)/],
];

function outOfRange(text: string, what: string) {
  return badRequest(`parsing time ${JSON.stringify(text)}: ${what} out of range`);
}

/** Milliseconds since the epoch of an RFC 3339 time. @throws ApiError BadRequest, in the words of Go's `time.Parse` */
export function parseGoTime(text: string): number {
  const given = JSON.stringify(text);
  let rest = text;
  for (const [name, pattern, range] of parts) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) {
      const layout = '"2006-01-02T15:04:05Z07:00"';
      throw badRequest(`parsing time ${given} as ${layout}: cannot parse ${JSON.stringify(rest)} as "${name}"`);
    }
    const value = Number.parseInt(found, 10);
    if (range && (value < range[0] || value > range[1])) throw outOfRange(text, range[2]);
    rest = rest.slice(found.length);
  }
  if (rest !== '') throw badRequest(`parsing time ${given}: extra text: ${JSON.stringify(rest)}`);
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) throw outOfRange(text, 'day');
  return parseTime(text.replace(',', '.'));
}
