import { type KubeObject, ServiceAccount } from '@coxswain/k8s';
import type { ObjectKey } from '../core/index.ts';
import type { CallOptions, Client } from './types.ts';

/** What a token shall be good for: `TokenRequestSpec` of authentication.k8s.io/v1. */
export interface TokenSpec {
  /** Who may take it for proof; default: the API server itself. */
  readonly audiences?: readonly string[];
  /** Wished for, 600 at least; the server may give another. Default 3600. */
  readonly expirationSeconds?: number;
  /** The token dies with this object. */
  readonly boundObjectRef?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid?: string;
  };
}

/** A token that the server made for a service account. A secret: it belongs in no log. */
export interface ServiceAccountToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

interface TokenRequest extends KubeObject {
  readonly spec: TokenSpec;
  readonly status: ServiceAccountToken;
}

/** A token of a service account. Secret: keep it out of logs. @param key of the ServiceAccount @throws ApiError NotFound */
export async function requestToken(
  client: Client,
  key: ObjectKey,
  spec: TokenSpec = {},
  options?: CallOptions,
): Promise<ServiceAccountToken> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { name: '' }, spec };
  const { status } = await client.of(ServiceAccount).subresource<TokenRequest>('token').create(key, body, options);
  return status;
}
