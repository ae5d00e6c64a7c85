import { isIPv4, isIPv6 } from 'node:net';
import { isCreditCard, isIsbn10, isIsbn13 } from './checksums.ts';

type Matcher = (text: string) => boolean;

/**
 * The string formats a CRD may use (`apiextensions-apiserver`, `formats.go` of 1.37), by name without dashes.
 * What a name means is what the Go server accepts, also where a standard says otherwise.
 */
const formats: Readonly<Record<string, Matcher>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  byte: (text) => base64.test(text),
  cidr: isCidr,
  creditcard: isCreditCard,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  email: (text) => email.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  hostname: isHostname,
  ipv4: isSloppyIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  k8slongname: (text) => text.length <= 253 && dnsSubdomain.test(text),
  k8sshortname: (text) => text.length <= 63 && dnsLabel.test(text),
  mac: isMac,
  password: () => true,
  rgbcolor: isRgbColor,
  ssn: (text) => /^\d{3}-\d{2}-\d{4}$|^\d{3} \d{2} \d{4}$|^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text),
  uri: isRequestUri,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const dnsLabel = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
/** An address alone, or in angle brackets after a name. */
const email =
  /^(?:[^<>@]*<)?(?:"(?:[^"\\]|\\.)+"|[^\s()<>[\]:;@\\,."]+(?:\.[^\s()<>[\]:;@\\,."]+)*)@(?:\[[0-9a-fA-F:.]+\]|[^\s()<>[\]:;@\\,."]+(?:\.[^\s()<>[\]:;@\\,."]+)*)>?\s*$/u;

export function knownFormat(name: string): boolean {
  return matchesFormat(name) !== undefined;
}

/** The test of a string format; undefined when the server does not check it. */
export function matchesFormat(name: string): Matcher | undefined {
  const normal = name.replaceAll('-', '');
  return Object.hasOwn(formats, normal) ? formats[normal] : undefined;
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (lengths[month - 1] ?? 0);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const parts = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  if (!parts || !isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] = parts;
  return hour <= '23' && minute <= '59' && second <= '59';
}

const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/u;
const scalaUnits = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/u;

/** Go's durations, or number and unit anywhere in the text, as Scala writes them (`3 days`). */
function isDuration(text: string): boolean {
  if (goDuration.test(text)) return true;
  for (const [, unit = ''] of text.matchAll(/\d+\s*([A-Za-zµ]+)/gu)) {
    if (scalaUnits.test(unit.toLowerCase())) return true;
  }
  return false;
}

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  const fits = text.length <= 255 && text.split('.').every((label) => Buffer.byteLength(label) <= 63);
  return fits && Buffer.byteLength(text) <= 255 && hostname.test(text);
}

/** Leading zeros are tolerated. */
function isSloppyIPv4(text: string): boolean {
  if (isIPv4(text.replace(/(^|\.)0+(?=\d)/g, '$1'))) return true;
  return text.includes('.') && isIPv6(text) && !text.includes('%');
}

function isCidr(text: string): boolean {
  const parts = /^(.+)\/(\d+)$/.exec(text);
  if (!parts) return false;
  const [, address = '', bits = ''] = parts;
  if (address.includes(':')) return isIPv6(address) && !address.includes('%') && Number(bits) <= 128;
  return isSloppyIPv4(address) && Number(bits) <= 32;
}

function isMac(text: string): boolean {
  if (/^(?:[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i.test(text)) return true;
  if (/^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:(?:\.[0-9a-f]{4}){1})?$/i.test(text)) return true;
  if (/^[0-9a-f]{4}(?:\.[0-9a-f]{4}){9}$/i.test(text)) return true;
  return /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?)$/i.test(
    text,
  );
}

function isRgbColor(text: string): boolean {
  const channel = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
  return new RegExp(`^rgb\\(\\s*${channel}\\s*,\\s*${channel}\\s*,\\s*${channel}\\s*\\)$`).test(text);
}

/** An absolute URI or an absolute path. */
function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return false;
  if (text === '*') return true;
  const rest = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/.exec(text)?.[1];
  // Without a slash after the scheme nothing more is looked at (`mailto:a@b.c`).
  if (rest !== undefined && !rest.startsWith('/')) return true;
  const path = rest ?? text;
  if (!path.startsWith('/') || /%(?![0-9a-fA-F]{2})/.test(path.split('?')[0] ?? '')) return false;
  if (path === text || !path.startsWith('//')) return true;
  const host = path.slice(2).split(/[/?#]/)[0] ?? '';
  return /^(?:[^@\s<>"]*@)?(?:\[[0-9a-fA-F:.%]+\]|[^\s<>"[\]:]*)(?::\d*)?$/.test(host);
}
