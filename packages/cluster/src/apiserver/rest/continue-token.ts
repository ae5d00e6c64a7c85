import { badRequest } from '@coxswain/runtime/core';
import { decodeFault } from '../go-types/index.ts';
import { goJsonFault } from '../request/go-json-fault.ts';
import { isObject, textOf } from './clone.ts';

/** Where a paged list goes on. */
export interface ContinueToken {
  /** Revision of the snapshot; −1: the newest state. */
  readonly revision: number;
  /** `namespace/name` of the last object already answered. */
  readonly after: string;
}

const version = 'meta.k8s.io/v1';

/** @param within what all objects of the list begin with: `namespace/`, `/` without namespaces, or nothing */
export function encodeContinue({ revision, after }: ContinueToken, within: string): string {
  const start = after.startsWith(within) ? after.slice(within.length) : after;
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start: `${start}\0` })).toString('base64url');
}

/** @param within as it was encoded @throws ApiError BadRequest, in the words of the real server */
export function decodeContinue(text: string, within: string): ContinueToken {
  const token = parse(text);
  const { v = '', rv = 0, start = '' } = token;
  if (v !== version) throw invalidToken(`: server does not recognize this encoded version ${textOf(v)}`);
  if (rv === 0) throw invalidToken(`: incorrect encoded start resourceVersion (version ${version})`);
  if (start === '') throw invalidToken(`: encoded start key empty (version ${version})`);
  const key = String(start);
  const segments = key.replace(/^\//, '').split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) throw invalidToken(`: ${key}`);
  const last = segments.join('/');
  return { revision: Math.max(Number(rv), -1), after: within + (last.endsWith('\0') ? last.slice(0, -1) : last) };
}

const invalidToken = (why: string): Error => badRequest(`invalid continue token: continue key is not valid${why}`);

interface Parsed {
  readonly v?: unknown;
  readonly rv?: unknown;
  readonly start?: unknown;
}

const types = { v: 'string', rv: 'int64', start: 'string' };

function parse(text: string): Parsed {
  const odd = text.search(/[^A-Za-z0-9_-]/);
  const at = odd >= 0 ? odd : text.length % 4 === 1 ? text.length - 1 : -1;
  if (at >= 0) throw invalidToken(`: illegal base64 data at input byte ${at}`);
  const bytes = Buffer.from(text, 'base64url');
  const fault = goJsonFault(bytes);
  if (fault !== undefined) throw invalidToken(`: ${fault}`);
  const token: unknown = JSON.parse(bytes.toString('utf8'));
  if (token === null) return {};
  if (!isObject(token))
    throw invalidToken(`: ${decodeFault('bool', token)?.replace(/bool$/, 'storage.continueToken')}`);
  for (const [field, type] of Object.entries(types)) {
    const why = decodeFault(type, token[field]);
    if (why) throw invalidToken(`: ${why.replace('Go value', `Go struct field continueToken.${field}`)}`);
  }
  return token;
}
