import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type JsonLoggerOptions, jsonLogger } from './json-logger.ts';
import { maskSecrets } from './mask.ts';
import { VirtualClock } from './virtual-clock.ts';

function lineOf(fields: object, message = 'm', options: Partial<JsonLoggerOptions> = {}): string {
  let line = '';
  const write = (text: string) => {
    line = text;
  };
  jsonLogger({ write, clock: new VirtualClock(), ...options }).error(fields, message);
  return line;
}

const secret = 'S3cr3tV4lue';
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`;
const asText = JSON.stringify({ apiVersion: 'v1', data: { a: secret }, kind: 'Secret' });

/** Values that hold the secret in every way that is masked. */
const holders: readonly unknown[] = [
  ...['password', 'dbPassword', 'PGPASSWORD', 'passwd', 'passphrase', 'token', 'access_token', 'Authorization'].map(
    (key) => ({ [key]: secret }),
  ),
  ...['set-cookie', 'apiKey', 'api-key', 'private_key', 'clientSecret', 'AWS_SECRET_ACCESS_KEY', 'credentials'].map(
    (key) => ({ [key]: secret }),
  ),
  ...['tokens', 'passwords', 'apiKeys', 'AWS_ACCESS_KEY_ID', 'SecretAccessKey', 'x-amz-security-token'].map((key) => ({
    [key]: secret,
  })),
  { tokens: [secret] },
  { headers: [['authorization', `Bearer ${secret}`]] },
  { rawHeaders: ['Accept', '*/*', 'X-Auth-Token', secret, 'Cookie', secret] },
  { args: ['run', '--db-password', secret] },
  { key: 'authorization', value: secret },
  { 'client-key-data': secret },
  `client-key-data: ${secret}`,
  `  - name: a\n    token: ${secret}\n    server: x`,
  `https://user:${secret}@host/path`,
  `https://${secret}${secret}@host/path`,
  `https%3A%2F%2Fuser%3A${secret}%40host%2Fpath`,
  `q=https%253A%252F%252Fuser%253A${secret}%2540host`,
  `next=%2Fa%3Faccess_token%3D${secret}%26b%3Dc`,
  encodeURIComponent(JSON.stringify({ password: secret })),
  `?x-amz-signature=${secret}&a=b`,
  `tokens="${secret}"`,
  `Basic ${secret}`,
  new Error('a', { cause: new Error(`https://a:${secret}@b`) }),
  new AggregateError([new Error(`password=${secret}`)], 'several'),
  { password: [secret] },
  { credentials: { user: secret } },
  { kind: 'Secret', data: { 'tls.key': secret }, stringData: { a: secret } },
  { kind: 'SecretList', items: [{ metadata: {}, data: { a: secret } }] },
  { 'kubectl.kubernetes.io/last-applied-configuration': asText },
  { body: JSON.stringify({ body: asText }) },
  { name: 'DB_PASSWORD', value: secret },
  `Authorization: Basic ${secret}`,
  `got Bearer ${secret}, refused`,
  `postgres://admin:${secret}@db:5432/x`,
  `redis://:p@${secret}@db`,
  `host=db password=${secret} sslmode=require`,
  JSON.stringify({ user: 'u', password: `"${secret}` }),
  JSON.stringify(JSON.stringify({ password: secret })),
  pem,
  pem.slice(0, -10),
  Buffer.from(pem).toString('base64'),
  new Error(`connect postgres://a:${secret}@b failed`),
  Object.assign(new Error('no'), { config: { token: secret } }),
];

it('never shows a secret, wherever it is', () => {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(...holders),
      fc.dictionary(fc.string(), tie('tree'), { minKeys: 1, maxKeys: 3 }),
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    ),
  }));
  const sent = [secret, Buffer.from(pem).toString('base64').slice(60)];
  fc.assert(
    fc.property(tree, fc.boolean(), (value, circular) => {
      const fields: Record<string, unknown> = { value };
      if (circular) fields['self'] = fields;
      const line = lineOf(fields, `m ${holders.filter((holder) => typeof holder === 'string').join(' | ')}`);
      for (const text of sent) expect(line).not.toContain(text);
    }),
  );
});

it.each(holders.map((holder) => [holder]))('masks %j, and shows it when told to', (holder) => {
  const text = (line: string) => `${line} ${Buffer.from(JSON.parse(line).value?.slice?.(0) ?? '', 'base64')}`;
  expect(text(lineOf({ value: holder }))).not.toContain(secret);
  expect(text(lineOf({ value: holder }, 'm', { mask: false }))).toContain(secret);
});

it('shows what only says where a secret is, and what is none', () => {
  const fields = {
    secretName: 'db-password',
    tokenFile: '/var/run/token',
    secretRef: { name: 'a' },
    passwordSecret: 'p',
    tokens: 5,
    keys: ['password', 'user', 'host'],
    how: 'Basic authentication is off, tokens: none left',
    automountToken: true,
    kind: 'ConfigMap',
    data: { a: 'b' },
    url: 'https://host:6443/api?x=user@y',
    note: 'the token has expired; a bearer is needed',
    env: [{ name: 'HOST', value: 'db' }],
    certificate: '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----',
  };
  expect(JSON.parse(lineOf(fields))).toMatchObject({
    ...fields,
    note: expect.stringContaining('the token has expired'),
  });
});

it('says who and where in what it masks', () => {
  expect(JSON.parse(lineOf({ url: `postgres://admin:${secret}@db/x` }))).toMatchObject({
    url: 'postgres://admin:***@db/x',
  });
  expect(JSON.parse(lineOf({ kind: 'Secret', metadata: { name: 'a' }, data: {} }))).toMatchObject({
    metadata: { name: 'a' },
    data: '***',
  });
});

it('masks as it is told', () => {
  const mask = (key: string, value: unknown) => (key === 'iban' ? 'hidden' : value);
  expect(JSON.parse(lineOf({ a: { iban: 'DE1', password: 'p' } }, 'm', { mask }))).toMatchObject({
    a: { iban: 'hidden', password: 'p' },
  });
});

it('looks at nothing of a line that is not written', () => {
  const log = jsonLogger({ write: () => {}, level: 'error', clock: new VirtualClock() });
  const fields = Object.defineProperty({}, 'a', { enumerable: true, get: () => expect.unreachable() });
  log.warn(fields, 'no');
});

it.each(['password="top secret" host=x', "password='top secret' host=x"])('masks a quoted value: %s', (text) => {
  expect(maskSecrets('m', text, {})).toBe('password=*** host=x');
});

it('masks what is a secret by its form', () => {
  const jwt = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.${'s'.repeat(20)}`;
  expect(maskSecrets('m', `sent ${jwt} and AKIAIOSFODNN7EXAMPLE off`, {})).toBe('sent *** and *** off');
});

it('says where in what is URL-encoded', () => {
  expect(maskSecrets('m', 'to=https%3A%2F%2Fuser%3Ap%40host%2Fa&x=1', {})).toBe(
    'to=https%3A%2F%2Fuser%3A***%40host%2Fa&x=1',
  );
  expect(maskSecrets('m', 'x=token%3Dabc%26b%3Dc', {})).toBe('x=token%3D***%26b%3Dc');
});

it('takes no longer than a text is long', () => {
  const parts = [
    '://a:',
    '%3A%2F%2F',
    '\n',
    ' ',
    'password',
    'token=',
    'Basic ',
    'eyJ',
    '"kind":"',
    '%253A',
    '-----BEGIN ',
  ];
  for (const part of parts) {
    const text = `token ${part.repeat(200_000 / part.length)}`;
    const started = process.cpuUsage().user;
    maskSecrets('m', text, {});
    expect((process.cpuUsage().user - started) / 1000, part).toBeLessThan(1_500);
  }
});
