import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Signs and checks JSON web tokens with one EC P-256 key (ES256). */
export interface TokenSigner {
  /** Base64url of the SHA-256 of the public key, as the real server names its keys. */
  readonly keyId: string;
  /** The public key as a JSON web key. */
  readonly jwk: Readonly<Record<string, string>>;
  sign(claims: object): string;
  /** The claims of a token that this key signed; `undefined` for anything else. */
  verify(token: string): Readonly<Record<string, unknown>> | undefined;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decode(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** @param pem EC P-256 private key, PEM */
export function tokenSigner(pem: string): TokenSigner {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const raw = (key: KeyObject) => ({ key, dsaEncoding: 'ieee-p1363' }) as const;
  const header = encode({ alg: 'ES256', kid: keyId });
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return {
    keyId,
    jwk: { use: 'sig', kty, kid: keyId, crv, alg: 'ES256', x, y },
    sign(claims) {
      const signed = `${header}.${encode(claims)}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), raw(privateKey)).toString('base64url')}`;
    },
    verify(token) {
      const [head = '', body = '', signature = '', ...more] = token.split('.');
      const { alg, kid } = decode(head) ?? {};
      if (more.length > 0 || alg !== 'ES256' || (kid !== undefined && kid !== keyId)) return undefined;
      const bytes = Buffer.from(`${head}.${body}`);
      return verify('sha256', bytes, raw(publicKey), Buffer.from(signature, 'base64url')) ? decode(body) : undefined;
    },
  };
}
