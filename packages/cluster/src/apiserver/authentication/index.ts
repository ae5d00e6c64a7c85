/**
 * Who somebody is: tokens of service accounts, issued and recognised, and users who act as others. It knows keys, tokens and
 * the objects these are bound to; nothing of what a user may do but by asking the authorizer.
 */
export { impersonate } from './impersonation.ts';
export { openIdRoute } from './open-id.ts';
export { issuer, ServiceAccountTokens } from './service-account-tokens.ts';
export { TokenError } from './token-error.ts';
export { tokenRequest } from './token-request.ts';
export { tokenReview } from './token-review.ts';
