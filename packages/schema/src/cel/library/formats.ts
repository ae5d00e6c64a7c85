import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { parseType } from '../types/signature.ts';
import { noSuchOverload } from '../values/errors.ts';
import { ArrayList } from '../values/list.ts';
import { Opaque, Optional, type Value } from '../values/value.ts';
import { text } from './arguments.ts';
import { parseUrl } from './urls.ts';

type Check = (subject: string) => string[];

class Format extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly maxRegexSize: number;
  readonly check: Check;

  constructor(name: string, maxRegexSize: number, check: Check) {
    super();
    this.name = name;
    this.maxRegexSize = maxRegexSize;
    this.check = check;
  }

  equals(other: Opaque): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

function mismatch(what: string, pattern: string, ...examples: string[]): string {
  const shown = examples
    .map((example) => `'${example}'`)
    .join(',  or ')
    .replace(/, {2}or /g, ',  or ');
  return `${what} (e.g. ${shown}, regex used for validation is '${pattern}')`;
}

function named(max: number, unit: 'characters' | 'bytes', pattern: string, complaint: string): Check {
  const matcher = new RegExp(`^${pattern}$`);
  return (subject) => {
    const problems: string[] = [];
    if (Buffer.byteLength(subject) > max) problems.push(`must be no more than ${max} ${unit}`);
    if (!matcher.test(subject)) problems.push(complaint);
    return problems;
  };
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const alphanumeric = 'must start and end with an alphanumeric character';
const labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${alphanumeric}`;
const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${alphanumeric}`;
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const nameText = mismatch(
  `must consist of alphanumeric characters, '-', '_' or '.', and ${alphanumeric}`,
  qualified,
  'MyName',
  'my.name',
  '123-abc',
);
const valueText = mismatch(
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${alphanumeric}`,
  `(${qualified})?`,
  'MyValue',
  'my_value',
  '12345',
);

const isPlainLabel = named(63, 'characters', label, mismatch(labelText, label, 'my-name', '123-abc'));
const isSubdomain = named(253, 'characters', subdomain, mismatch(subdomainText, subdomain, 'example.com'));
/** A dotted name gets a shorter answer. */
const isLabel: Check = (subject) => {
  const problems = isPlainLabel(subject);
  if (!subject.includes('.') || isSubdomain(subject).length > 0) return problems;
  return [...problems.slice(0, -1), 'must not contain dots'];
};
const isLabel1035 = named(63, 'characters', label1035, mismatch(label1035Text, label1035, 'my-name', 'abc-123'));
const isLabelValue = named(63, 'bytes', `(${qualified})?`, valueText);

/** A name that will get a suffix may end with the dash before it. */
function asPrefix(check: Check): Check {
  return (subject) => check(/\p{ASCII}-$/u.test(subject) ? `${subject.slice(0, -2)}a` : subject);
}

const qualifiedName: Check = (subject) => {
  const parts = subject.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2) {
    return [`a valid label key ${nameText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  if (second !== undefined) {
    if (first === '') problems.push('prefix part must be non-empty');
    else problems.push(...isSubdomain(first).map((problem) => `prefix part ${problem}`));
  }
  const name = second ?? first;
  if (name === '') problems.push('name part must be non-empty');
  else if (Buffer.byteLength(name) > 63) problems.push('name part must be no more than 63 bytes');
  if (!new RegExp(`^${qualified}$`).test(name)) problems.push(`name part ${nameText}`);
  return problems;
};

const uri: Check = (subject) => {
  const parts = parseUrl(subject);
  return 'error' in parts ? [parts.error] : [];
};

function matching(pattern: RegExp, complaint: string): Check {
  return (subject) => (pattern.test(subject) ? [] : [complaint]);
}

function isDate(subject: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(subject)) return false;
  const date = new Date(`${subject}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(subject);
}

const dateTime = /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const formats = new Map<string, Format>(
  Object.entries({
    dns1123Label: new Format('DNS1123Label', 30, isLabel),
    dns1123Subdomain: new Format('DNS1123Subdomain', 60, isSubdomain),
    dns1035Label: new Format('DNS1035Label', 30, isLabel1035),
    qualifiedName: new Format('QualifiedName', 60, qualifiedName),
    dns1123LabelPrefix: new Format('DNS1123LabelPrefix', 30, asPrefix(isLabel)),
    dns1123SubdomainPrefix: new Format('DNS1123SubdomainPrefix', 60, asPrefix(isSubdomain)),
    dns1035LabelPrefix: new Format('DNS1035LabelPrefix', 30, asPrefix(isLabel1035)),
    labelValue: new Format('LabelValue', 40, isLabelValue),
    uri: new Format('URI', 1103, uri),
    uuid: new Format('uuid', 70, matching(uuid, 'does not match the UUID format')),
    byte: new Format('byte', 84, (subject) => (subject !== '' && base64.test(subject) ? [] : ['invalid base64'])),
    date: new Format('date', 70, (subject) => (isDate(subject) ? [] : ['invalid date'])),
    datetime: new Format('datetime', 70, (subject) => {
      const day = dateTime.exec(subject)?.[1];
      return day !== undefined && isDate(day) ? [] : ['invalid datetime'];
    }),
  }),
);

function validate(format: Value, subject: Value): Optional {
  if (!(format instanceof Format)) throw noSuchOverload();
  const problems = format.check(text(subject));
  return problems.length === 0 ? Optional.none : new Optional(new ArrayList(problems));
}

export const formatLibrary: Library = {
  types: [parseType('kubernetes.NamedFormat')],
  overloads: [
    ...[...formats].map(([name, format]) =>
      overload(`format.${name}`, `format.${name}() -> kubernetes.NamedFormat`, () => format),
    ),
    overload('format-validate', 'kubernetes.NamedFormat::validate(string) -> optional(list(string))', validate),
    overload('format-named', 'format.named(string) -> optional(kubernetes.NamedFormat)', (name) => {
      const format = formats.get(text(name));
      return format ? new Optional(format) : Optional.none;
    }),
  ],
};
