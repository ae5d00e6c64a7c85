/** Whom to act as, when it is not oneself. The server lets those do it who may `impersonate`. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  /** Further attributes, each with any number of values. The server takes the keys in lower case. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What may stand in a header's name as it is. The percent sign may too, but marks what is escaped. */
const plain = /[!#$&'*+\-.0-9A-Z^_`a-z|~]/;

/** The `Impersonate-*` headers of every request, as client-go writes them: keys escaped by percent, values as UTF-8. */
export function impersonationHeaders(impersonation: Impersonation): Record<string, string | string[]> {
  const { user, uid, groups = [], extra = {} } = impersonation;
  const headers: Record<string, string | string[]> = { 'impersonate-user': bytes(user) };
  if (uid) headers['impersonate-uid'] = bytes(uid);
  if (groups.length > 0) headers['impersonate-group'] = groups.map(bytes);
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`impersonate-extra-${escapedKey(key)}`] = values.map(bytes);
  }
  return headers;
}

/** One character a byte, which is how headers are put on the wire. */
function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function escapedKey(key: string): string {
  const escaped = (char: string) =>
    plain.test(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return [...bytes(key)].map(escaped).join('');
}
