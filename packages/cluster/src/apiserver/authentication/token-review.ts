import type { MutableJson } from '@coxswain/k8s';
import { badRequest } from '@coxswain/runtime/core';
import { userStatus } from '../authorization/index.ts';
import { listAt, objectAt, textAt } from '../builtin/shared/draft.ts';
import { issuer, type ServiceAccountTokens } from './service-account-tokens.ts';
import { TokenError } from './token-error.ts';

function statusOf(tokens: ServiceAccountTokens, token: string, wanted: readonly string[]): MutableJson {
  const failed = (why: string) => ({ user: {}, error: `[invalid bearer token, ${why}]` });
  try {
    const found = tokens.recognise(token, wanted);
    if (!found) return { user: {}, error: 'invalid bearer token' };
    return { authenticated: true, user: userStatus(found.user), audiences: found.audiences };
  } catch (error) {
    if (error instanceof TokenError) return failed(error.message);
    throw error;
  }
}

/** TokenReview: whose token it is. */
export function tokenReview(tokens: ServiceAccountTokens): (draft: MutableJson) => MutableJson {
  return (draft) => {
    const spec = objectAt(draft, 'spec') ?? {};
    const token = textAt(spec, 'token');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const given = listAt(spec, 'audiences').filter((audience): audience is string => typeof audience === 'string');
    return { ...draft, status: statusOf(tokens, token, given.length > 0 ? given : [issuer]) };
  };
}
