import type { FieldError } from '@coxswain/schema';
import { invalidValue, required } from './errors.ts';

/** Name and format rules of Kubernetes. Each answers the texts of what is wrong, none when the value is good. */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const configKey = '[-._a-zA-Z0-9]+';
const cIdentifier = '[A-Za-z_][A-Za-z0-9_]*';

const labelRegExp = new RegExp(`^${label}$`);
const subdomainRegExp = new RegExp(`^${subdomain}$`);
const wildcardRegExp = new RegExp(`^\\*\\.${subdomain}$`);
const dns1035RegExp = new RegExp(`^${dns1035}$`);
const labelKeyRegExp = new RegExp(`^${labelKey}$`);
const labelValueRegExp = new RegExp(`^(${labelKey})?$`);
const configKeyRegExp = new RegExp(`^${configKey}$`);
const cIdentifierRegExp = new RegExp(`^${cIdentifier}$`);

const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export function regexText(rule: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${pattern}')`;
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${list}regex used for validation is '${pattern}')`;
}

const maxBytesText = (max: number): string => `must be no more than ${max} bytes`;
const maxCharactersText = (max: number): string => `must be no more than ${max} characters`;
export const rangeText = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;
export const nonNegativeText = 'must be greater than or equal to 0';

export function dnsLabel(value: string): readonly string[] {
  const errors = value.length > 63 ? [maxCharactersText(63)] : [];
  if (!labelRegExp.test(value)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    errors.push(subdomainRegExp.test(value) ? 'must not contain dots' : regexText(rule, label, 'my-name', '123-abc'));
  }
  return errors;
}

export function dnsSubdomain(value: string): readonly string[] {
  const errors = value.length > 253 ? [maxCharactersText(253)] : [];
  if (!subdomainRegExp.test(value)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    errors.push(regexText(rule, subdomain, 'example.com'));
  }
  return errors;
}

export function wildcardSubdomain(value: string): readonly string[] {
  const errors = value.length > 253 ? [maxCharactersText(253)] : [];
  if (!wildcardRegExp.test(value)) {
    const rule =
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    errors.push(regexText(rule, `\\*\\.${subdomain}`, '*.example.com'));
  }
  return errors;
}

export function dns1035Label(value: string): readonly string[] {
  const errors = value.length > 63 ? [maxCharactersText(63)] : [];
  if (!dns1035RegExp.test(value)) {
    const rule =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    errors.push(regexText(rule, dns1035, 'my-name', 'abc-123'));
  }
  return errors;
}

/** A subdomain as the rules of labels say it: they count bytes. */
export function prefixDomain(value: string): readonly string[] {
  return dnsSubdomain(value).map((text) => (text === maxCharactersText(253) ? maxBytesText(253) : text));
}

/** A subdomain whose labels may have underscores: search domains of resolvers. */
export function dnsSubdomainUnderscore(value: string): readonly string[] {
  const part = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
  const pattern = `${part}(\\.${part})*`;
  const errors = value.length > 253 ? [maxCharactersText(253)] : [];
  if (!new RegExp(`^${pattern}$`).test(value)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
    errors.push(regexText(rule, pattern, 'example.com'));
  }
  return errors;
}

/** Keys of labels, annotations, finalizers, conditions: `[domain/]name`. */
export function qualifiedName(value: string): readonly string[] {
  const errors: string[] = [];
  const parts = value.split('/');
  if (parts.length > 2) {
    const text = regexText(keyRule, labelKey, 'MyName', 'my.name', '123-abc');
    return [`a valid label key ${text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const name = parts.at(-1) ?? '';
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined) errors.push(...prefixDomain(prefix).map((text) => `prefix part ${text}`));
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > 63) errors.push(`name part ${maxBytesText(63)}`);
  if (!labelKeyRegExp.test(name)) {
    errors.push(`name part ${regexText(keyRule, labelKey, 'MyName', 'my.name', '123-abc')}`);
  }
  return errors;
}

export function labelValue(value: string): readonly string[] {
  const errors = value.length > 63 ? [maxBytesText(63)] : [];
  if (!labelValueRegExp.test(value)) {
    const rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    errors.push(regexText(rule, `(${labelKey})?`, 'MyValue', 'my_value', '12345'));
  }
  return errors;
}

/** Keys of ConfigMaps and Secrets: usable as file names. */
export function configMapKey(value: string): readonly string[] {
  const errors = value.length > 253 ? [maxCharactersText(253)] : [];
  if (!configKeyRegExp.test(value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(regexText(rule, configKey, 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (value === '.') errors.push("must not be '.'");
  else if (value === '..') errors.push("must not be '..'");
  else if (value.startsWith('..')) errors.push("must not start with '..'");
  return errors;
}

/** Names of environment variables: printable ASCII without `=`. */
export function envVarName(value: string): readonly string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function portName(value: string): readonly string[] {
  const errors: string[] = [];
  if (value.length > 15) errors.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

export function portNumber(value: number): readonly string[] {
  return value >= 1 && value <= 65535 ? [] : [rangeText(1, 65535)];
}

export function cIdentifierName(value: string): readonly string[] {
  if (cIdentifierRegExp.test(value)) return [];
  const rule =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [regexText(rule, cIdentifier, 'my_name', 'MY_NAME', 'MyName')];
}

/** Names that are one segment of a URL path (RBAC): nothing but `.`, `..`, `/` and `%` is refused. */
export function pathSegment(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** A path with a domain before it: `example.com/what`. */
export function domainPrefixedPath(value: string, field: string): readonly FieldError[] {
  if (value === '') return [required(field)];
  const slash = value.indexOf('/');
  const [domain, path] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (slash < 0 || domain === '' || path === '') {
    return [invalidValue(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = dnsSubdomain(domain).map((text) => invalidValue(field, domain, text));
  if (new RegExp(`^${httpPath}$`).test(path)) return errors;
  return [...errors, invalidValue(field, path, regexText('Invalid path', httpPath))];
}
