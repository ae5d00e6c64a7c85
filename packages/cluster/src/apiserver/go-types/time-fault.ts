interface Element {
  /** As the layout writes it. */
  readonly layout: string;
  readonly pattern: RegExp;
  /** The largest value, and what is out of range beyond it. */
  readonly limit?: readonly [number, number, string];
}

const two = /^\d\d/;
const elements: readonly Element[] = [
  { layout: '2006', pattern: /^\d{4}/ },
  { layout: '-', pattern: /^-/ },
  { layout: '01', pattern: two, limit: [1, 12, 'month'] },
  { layout: '-', pattern: /^-/ },
  { layout: '02', pattern: two, limit: [1, 31, 'day'] },
  { layout: 'T', pattern: /^T/ },
  { layout: '15', pattern: two, limit: [0, 23, 'hour'] },
  { layout: ':', pattern: /^:/ },
  { layout: '04', pattern: two, limit: [0, 59, 'minute'] },
  { layout: ':', pattern: /^:/ },
  { layout: '05', pattern: two, limit: [0, 59, 'second'] },
];

/** Times as they are nearly always written: nothing but a check of the usual form, which leaves days that only some months have. */
const plain = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/;

/** Why Go would not read a text as a time, in its own words. @param micro a time with six digits of a second */
export function timeFault(text: string, micro: boolean): string | undefined {
  const usual = plain.exec(text);
  if (usual && (usual[1] !== undefined || !micro)) return undefined;
  const layout = `2006-01-02T15:04:05${micro ? '.000000' : ''}Z07:00`;
  const fault = (why: string) => `parsing time ${JSON.stringify(text)}${why}`;
  const unlike = (rest: string, element: string) =>
    fault(` as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(element)}`);
  let rest = text;
  for (const { layout: element, pattern, limit } of elements) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) return unlike(rest, element);
    if (limit && (Number(found) < limit[0] || Number(found) > limit[1])) return fault(`: ${limit[2]} out of range`);
    rest = rest.slice(found.length);
  }
  const fraction = (micro ? /^[.,]\d{6}(?!\d)/ : /^[.,]\d+|^/).exec(rest)?.[0];
  if (fraction === undefined) return unlike(rest, '.000000');
  rest = rest.slice(fraction.length);
  const zone = /^(?:Z|[+-]\d\d:\d\d)/.exec(rest)?.[0];
  if (zone === undefined) return unlike(rest, 'Z07:00');
  if (zone.length < rest.length) return fault(`: extra text: ${JSON.stringify(rest.slice(zone.length))}`);
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  return day > new Date(Date.UTC(year, month, 0)).getUTCDate() ? fault(': day out of range') : undefined;
}
