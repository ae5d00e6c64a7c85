/**
 * Decides what of a value is logged: called for each value at any depth, from the outside in, with its key and the object it
 * is in. What it answers is logged, and looked at in its turn.
 */
export type Mask = (key: string, value: unknown, holder: object) => unknown;

const masked = '***';

/** The end of a key, in lower case and without `-`, `_` and `.`: `tokenFile` and `secretName` only say where one is. */
const secretKey =
  /(?:password|passwd|passphrase|token|authorization|cookie|apikey|privatekey|clientsecret|secretkey|accesskey|accesskeyid|clientkeydata|credential)(s?)$/;

const matchSecretKey = (key: string) => secretKey.exec(key.toLowerCase().replaceAll(/[-_.]/g, ''));
const namesSecret = (key: unknown): boolean => typeof key === 'string' && matchSecretKey(key) !== null;

/** What a text must have for any of the patterns to match: most have nothing of it. */
const suspect =
  /bearer|basic|:\/\/|%(?:25)*3A%(?:25)*2F|PRIVATE KEY|LS0tLS1|passw|passphrase|token|authorization|cookie|api[-_]?key|access[-_]?key|private[-_]?key|key[-_]data|amz-signature|secret|credential|eyJ|A[KS]IA/i;

const word =
  '(?:password|passwd|passphrase|token|(?:api|private|secret|access)[-_]?key(?:[-_]?id)?|client[-_]?(?:secret|key[-_]data)|credential|x-amz-signature)s?';

/** `=`, `:`, `"` and others as URLs write them, encoded once or more often. */
const encoded = (hex: string) => `%(?:25)*(?:${hex})`;

/** What to put in the place of what, in any text. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, `-----BEGIN $1----- ${masked}`],
  // The same in Base64, as in a kubeconfig: `PRIVATE KEY`, `RSA …`, `EC …`, `OPENSSH …`.
  [/LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQyBQ|BPUEVOU1NI)[A-Za-z0-9+/=]*/g, masked],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]+(?:\.[\w-]*)?/g, masked],
  [/\bA[KS]IA[A-Z0-9]{16}\b/g, masked],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*[:=]\s*)[^\r\n]+/gi, `$1$2${masked}`],
  [/\b(bearer)\s+[^\s"',;]+/gi, `$1 ${masked}`],
  // Not "Basic authentication".
  [/\b(Basic)\s+(?=\S*(?:[a-z0-9][A-Z]|\d|=))[A-Za-z0-9+/]{6,}={0,2}/g, `$1 ${masked}`],
  [/(:\/\/[^\s/:@]*):[^\s/]*@/g, `$1:${masked}@`],
  // A token in the place of the user.
  [/(:\/\/)[^\s/:@]{20,}@/g, `$1${masked}@`],
  [
    new RegExp(
      `(${encoded('3A')}(?:${encoded('2F')}){2}(?:(?!${encoded('3A|2F|40')})[^\\s/])*${encoded('3A')})(?:(?!${encoded('2F')})[^\\s/])*?(${encoded('40')})`,
      'gi',
    ),
    `$1${masked}$2`,
  ],
  [
    new RegExp(
      `(${word}(?:${encoded('22|27')})?(?:${encoded('3D|3A')})(?:${encoded('20')}|\\+)*(?:${encoded('22|27')})?)(?:(?!${encoded('22|26|27|2C|3B|7D')})[^\\s&"'])+`,
      'gi',
    ),
    `$1${masked}`,
  ],
  [new RegExp(`(${word}\\\\*["']\\s*[:=]\\s*)\\\\*"(?:[^"\\\\]|\\\\.)*"?`, 'gi'), `$1"${masked}"`],
  [new RegExp(`(${word}=)(?:"[^"]*"?|'[^']*'?|[^\\s,;&"']+)`, 'gi'), `$1${masked}`],
  [/(\bclient[-_]key[-_]data\s*[:=]\s*)[^\s"']+/gi, `$1${masked}`],
  // A line of YAML.
  [new RegExp(`^([ \\t]*(?:- )?\\S*${word}:[ \\t]+)\\S+[ \\t]*$`, 'gim'), `$1${masked}`],
];

/** A Secret as JSON text: in the annotation of `kubectl apply`, in bodies of requests. */
const secretAsText = /"kind\\*"\s*:\s*\\*"Secret(?:List)?\\*"/;

function maskText(text: string): string {
  if (!suspect.test(text)) return text;
  if (secretAsText.test(text)) return masked;
  return patterns.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}

/** Whether the item before says that this one is secret: a header and its value, a flag of a command and its value. */
function followsName(key: string, list: readonly unknown[]): boolean {
  const before = list[Number(key) - 1];
  if (typeof before !== 'string' || !namesSecret(before)) return false;
  const isHeader = Number(key) % 2 === 1 && /^(?:proxy-)?authorization$|cookie$|^x-.*(?:token|key)$/i.test(before);
  return list.length === 2 || isHeader || before.startsWith('-');
}

/**
 * What {@link Logger}s of JSON lines leave out unless told otherwise: whatever is under a key that names a secret (`password`, `tokens`,
 * `apiKey`, `client-secret`, `AWS_ACCESS_KEY_ID` …; flags, `null` and how many there are stay), the values of environment variables and
 * headers so named, as `{ name, value }`, as pairs and in a row, those of such flags of a command, `data` and `stringData` of Secrets, and in
 * all texts, errors' too: tokens, authorization and cookie headers, passwords in URLs, private keys in PEM, `password=…`, URL-encoded too.
 */
export const maskSecrets: Mask = (key, value, holder) => {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  const secret = matchSecretKey(key);
  if (secret) return secret[1] && typeof value === 'number' ? value : masked;
  if (Array.isArray(holder) && followsName(key, holder)) return masked;
  const { kind, name, key: named = name } = holder as Readonly<Record<'kind' | 'name' | 'key', unknown>>;
  if (kind === 'Secret' && (key === 'data' || key === 'stringData')) return masked;
  if (key === 'value' && (namesSecret(name) || namesSecret(named))) return masked;
  // The items of a list do not repeat their kind.
  if (kind === 'SecretList' && key === 'items' && Array.isArray(value)) {
    return value.map((item: unknown) => ({ ...(item as object), kind: 'Secret' }));
  }
  return typeof value === 'string' ? maskText(value) : value;
};
