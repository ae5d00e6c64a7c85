import type { KubeObject } from '@coxswain/k8s';
import type { Clock, Random } from '@coxswain/runtime/core';
import {
  openIdRoute,
  ServiceAccountTokens,
  TokenError,
  tokenRequest,
  tokenReview,
} from './apiserver/authentication/index.ts';
import {
  type AccessReview,
  type Authorizer,
  accessReviews,
  alwaysAllow,
  escalationCheck,
  installAggregation,
  RbacAuthorizer,
} from './apiserver/authorization/index.ts';
import { bootstrapRoles } from './apiserver/bootstrap/index.ts';
import type { AdmissionPlugin, NonResourceRoute, SubresourceHandler } from './apiserver/types.ts';
import type { TokenAuthenticator } from './http/index.ts';
import type { Storage } from './storage/types.ts';
import type { ClusterOptions } from './types.ts';

export interface SecurityOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  /** EC P-256 private key, PEM, that signs tokens of service accounts. */
  readonly serviceAccountKey: string;
  readonly authorization: NonNullable<ClusterOptions['authorization']>;
  /** There is a control plane, which has roles of its own and keeps the rules of ClusterRoles that aggregate others. */
  readonly controlPlane: boolean;
}

/** All that a server needs to know its users and what they may do. */
export interface Security {
  readonly authorizer: Authorizer;
  readonly authenticate: TokenAuthenticator;
  /** The token that a secret is to hold for a service account. */
  signForSecret(account: KubeObject, secret: KubeObject): string;
  readonly answers: Readonly<Record<string, AccessReview>>;
  readonly admission: readonly AdmissionPlugin[];
  readonly subresources: readonly SubresourceHandler[];
  readonly routes: readonly NonResourceRoute[];
  /** Stores the roles that every cluster has, once the system namespaces are there. */
  bootstrap(): void;
  close(): void;
}

function authenticator(tokens: ServiceAccountTokens): TokenAuthenticator {
  return (token, warn) => {
    try {
      const found = tokens.recognise(token);
      for (const text of found?.warnings ?? []) warn(text);
      return found?.user;
    } catch (error) {
      if (error instanceof TokenError) return undefined;
      throw error;
    }
  };
}

export function openSecurity(options: SecurityOptions): Security {
  const { storage, clock, random, serviceAccountKey, authorization, controlPlane } = options;
  const tokens = new ServiceAccountTokens({ storage, clock, random, key: serviceAccountKey });
  const rbac = authorization === 'RBAC' ? new RbacAuthorizer(storage) : undefined;
  const authorizer = rbac ?? alwaysAllow;
  const closers: (() => void)[] = [() => rbac?.cancel()];
  return {
    authorizer,
    authenticate: authenticator(tokens),
    signForSecret: (account, secret) => tokens.issueForSecret(account, secret),
    answers: { ...accessReviews(authorizer), 'authentication.k8s.io/tokenreviews': tokenReview(tokens) },
    admission: rbac ? [escalationCheck(rbac)] : [],
    subresources: [tokenRequest(tokens)],
    routes: [openIdRoute(tokens)],
    bootstrap() {
      if (rbac) bootstrapRoles({ storage, clock, random }, controlPlane);
      if (!controlPlane) return;
      const aggregation = installAggregation(storage);
      closers.push(() => aggregation.cancel());
    },
    close() {
      for (const closer of closers.splice(0).reverse()) closer();
    },
  };
}
