/**
 * Decides what of a value is logged: called for each value at any depth, from the outside in, with its key and the object it
 * is in. What it answers is logged, and looked at in its turn.
 */
export type Mask = (key: string, value: unknown, holder: object) => unknown;

const masked = '***';

/** The end of a key, in lower case and without `-`, `_` and `.`: `tokenFile` and `secretName` only say where one is. */
const secretKey =
  /(?:password|passwd|passphrase|token|authorization|cookies?|apikey|privatekey|clientsecret|secretkey|accesskey|clientkeydata|credentials?)$/;

const namesSecret = (key: string): boolean => secretKey.test(key.toLowerCase().replaceAll(/[-_.]/g, ''));

/** What a text must have for any of the patterns to match: most have nothing of it. */
const suspect =
  /bearer|:\/\/|PRIVATE KEY|LS0tLS1|passw|passphrase|token|authorization|cookie|api[-_]?key|access[-_]?key|private[-_]?key|secret|credential/i;

const word = '(?:password|passwd|passphrase|token|(?:api|private|secret|access)[-_]?key|client[-_]?secret|credentials)';

/** What to put in the place of what, in any text. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, `-----BEGIN $1----- ${masked}`],
  // The same in Base64, as in a kubeconfig: `PRIVATE KEY`, `RSA …`, `EC …`, `OPENSSH …`.
  [/LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQyBQ|BPUEVOU1NI)[A-Za-z0-9+/=]*/g, masked],
  [/\b(authorization|(?:set-)?cookie)(\s*[:=]\s*)[^\r\n]+/gi, `$1$2${masked}`],
  [/\b(bearer)\s+[^\s"',;]+/gi, `$1 ${masked}`],
  [/(:\/\/[^\s/:@]*):[^\s/]*@/g, `$1:${masked}@`],
  [new RegExp(`(${word}\\\\*["']\\s*[:=]\\s*)\\\\*"(?:[^"\\\\]|\\\\.)*"?`, 'gi'), `$1"${masked}"`],
  [new RegExp(`(${word}=)(?:"[^"]*"?|'[^']*'?|[^\\s,;&"']+)`, 'gi'), `$1${masked}`],
];

/** A Secret as JSON text: in the annotation of `kubectl apply`, in bodies of requests. */
const secretAsText = /"kind\\*"\s*:\s*\\*"Secret(?:List)?\\*"/;

function maskText(text: string): string {
  if (!suspect.test(text)) return text;
  if (secretAsText.test(text)) return masked;
  return patterns.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}

/**
 * What {@link Logger}s of JSON lines leave out unless told otherwise: whatever is under a key that names a secret (`password`,
 * `apiKey`, `client-secret` …; flags and `null` stay), the values of environment variables so named, `data` and `stringData` of Secrets, and in
 * all texts, errors' too: bearer tokens, authorization and cookie headers, passwords in URLs, private keys in PEM, `password=…`.
 */
export const maskSecrets: Mask = (key, value, holder) => {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (namesSecret(key)) return masked;
  const { kind, name } = holder as { readonly kind?: unknown; readonly name?: unknown };
  if (kind === 'Secret' && (key === 'data' || key === 'stringData')) return masked;
  if (key === 'value' && typeof name === 'string' && namesSecret(name)) return masked;
  // The items of a list do not repeat their kind.
  if (kind === 'SecretList' && key === 'items' && Array.isArray(value)) {
    return value.map((item: unknown) => ({ ...(item as object), kind: 'Secret' }));
  }
  return typeof value === 'string' ? maskText(value) : value;
};
