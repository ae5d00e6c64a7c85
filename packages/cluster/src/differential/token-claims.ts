import { partAt } from './variables.ts';

const token = /^eyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+$/;

/** What a JSON web token says, its times as seconds after it was issued. `undefined` for any other text. */
export function tokenClaims(text: string): unknown {
  const body = token.exec(text)?.[1];
  if (body === undefined) return undefined;
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
  const issued = partAt(claims, 'iat');
  if (typeof issued !== 'number') return claims;
  const since = (value: unknown): unknown => {
    if (typeof value === 'number') return value - issued;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, since(part)]));
  };
  return since(claims);
}
