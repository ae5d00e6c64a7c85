const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const labelExpression = new RegExp(`^${label}$`);
const subdomainExpression = new RegExp(`^${subdomain}$`);

const tooLong = (limit: number): string => `must be no more than ${limit} characters`;

function mismatch(rule: string, expression: string, ...examples: string[]): string {
  const quoted = examples.map((example) => `'${example}'`).join(',  or ');
  return `${rule} (e.g. ${quoted}, regex used for validation is '${expression}')`;
}

/** Violations of the DNS subdomain rule, the default for names. */
export function subdomainErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 253) errors.push(tooLong(253));
  if (!subdomainExpression.test(name)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    errors.push(mismatch(rule, subdomain, 'example.com'));
  }
  return errors;
}

/** Violations of the DNS label rule, for namespaces. */
export function labelErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 63) errors.push(tooLong(63));
  if (!labelExpression.test(name)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
    errors.push(mismatch(rule, label, 'my-name', '123-abc'));
  }
  return errors;
}

/** Violations of what any name must keep to be one segment of a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((letter) => name.includes(letter)).map((letter) => `may not contain '${letter}'`);
}
