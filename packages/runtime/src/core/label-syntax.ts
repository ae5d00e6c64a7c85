const namePattern = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const prefixPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

const nameRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const prefixRule =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with a qualified name (a label key, a finalizer …), in the server's words; empty when nothing is. */
export function qualifiedNameErrors(name: string): readonly string[] {
  const parts = name.split('/');
  if (parts.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const errors: string[] = [];
  const local = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') errors.push('prefix part must be non-empty');
    else if (prefix.length > 253) errors.push('prefix part must be no more than 253 bytes');
    else if (!prefixPattern.test(prefix)) errors.push(prefixRule);
  }
  if (local === '') errors.push('name part must be non-empty');
  else if (local.length > 63) errors.push('name part must be no more than 63 bytes');
  if (!namePattern.test(local)) errors.push(nameRule);
  return errors;
}

/** What is wrong with a label value, in the server's words; empty when nothing is. */
export function labelValueErrors(value: string): readonly string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push('must be no more than 63 bytes');
  if (value !== '' && !namePattern.test(value)) errors.push(valueRule);
  return errors;
}
