import { badRequest } from '@coxswain/runtime/core';
import { isObject, textOf } from './clone.ts';

/** Where a paged list goes on. */
export interface ContinueToken {
  /** Revision of the snapshot; −1: the newest state. */
  readonly revision: number;
  /** `namespace/name` of the last object already answered. */
  readonly after: string;
}

const version = 'meta.k8s.io/v1';

export function encodeContinue({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start: `${after}\0` })).toString('base64url');
}

/** @throws ApiError BadRequest */
export function decodeContinue(text: string): ContinueToken {
  const token = parse(text);
  if (!isObject(token)) throw invalidToken('it is not a token of this server');
  if (token.v !== version) throw invalidToken(`server does not recognize this encoded version ${textOf(token.v)}`);
  const { rv, start } = token;
  if (typeof rv !== 'number' || !Number.isInteger(rv) || rv < -1 || rv === 0) {
    throw invalidToken(`incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== 'string' || start === '') throw invalidToken('no start key');
  if (start.split('/').includes('..')) throw invalidToken(start);
  return { revision: rv, after: start.endsWith('\0') ? start.slice(0, -1) : start };
}

const invalidToken = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
