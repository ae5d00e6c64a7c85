import type { ApiResponse, NonResourceRoute } from '../types.ts';
import { issuer, type ServiceAccountTokens } from './service-account-tokens.ts';

const configuration = '/.well-known/openid-configuration';
const keys = '/openid/v1/jwks';

/** What others need to check our tokens: the issuer's description and its public key. */
export function openIdRoute(tokens: ServiceAccountTokens): NonResourceRoute {
  return {
    match: (path) => path === configuration || path === keys,
    handle(request): ApiResponse {
      const cached = { 'Cache-Control': 'public, max-age=3600' };
      if (request.path === keys) {
        const headers = { ...cached, 'Content-Type': 'application/jwk-set+json' };
        return { kind: 'text', code: 200, body: JSON.stringify({ keys: [tokens.signer.jwk] }), headers };
      }
      const body = JSON.stringify({
        issuer,
        jwks_uri: `${issuer}${keys}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      });
      return { kind: 'text', code: 200, body, headers: { ...cached, 'Content-Type': 'application/json' } };
    },
  };
}
