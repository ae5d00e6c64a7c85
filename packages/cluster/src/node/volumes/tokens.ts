import { type Pod, pathOf, ServiceAccount, type ServiceAccountTokenProjection } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger } from '@coxswain/runtime/core';
import { VolumeError } from './errors.ts';

/** A token of a pod's service account. Times are milliseconds since the epoch. */
export interface PodToken {
  readonly token: string;
  readonly expiresAt: number;
  /** When a new one has to be asked for: after 80 % of its life, or a day. */
  readonly renewAt: number;
}

interface TokenRequest {
  readonly spec: { readonly expirationSeconds?: number };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

const longestUse = 24 * 3_600_000;
const defaultExpiration = 3_600;
/** Milliseconds until a renewal that failed is tried again. */
const renewRetry = 10_000;

export interface PodTokensOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Tokens of pods: bound to the pod, kept until they are to be renewed. */
export class PodTokens {
  readonly #options: PodTokensOptions;
  /** By the pod's uid, then by what was asked for. */
  readonly #tokens = new Map<string, Map<string, PodToken>>();

  constructor(options: PodTokensOptions) {
    this.#options = options;
  }

  /** @throws VolumeError when there is no valid token and none can be had */
  async get(pod: Pod, projection: ServiceAccountTokenProjection): Promise<PodToken> {
    const uid = pod.metadata.uid ?? '';
    const wanted = JSON.stringify([projection.audience, projection.expirationSeconds]);
    const known = this.#tokens.get(uid)?.get(wanted);
    const now = this.#options.clock.now();
    if (known && now < known.renewAt) return known;
    try {
      const token = await this.#request(pod, projection);
      this.#keep(uid, wanted, token);
      return token;
    } catch (error) {
      return this.#afterFailure(pod, known, error);
    }
  }

  /** The pod is gone. */
  forget(uid: string): void {
    this.#tokens.delete(uid);
  }

  #keep(uid: string, wanted: string, token: PodToken): void {
    const tokens = this.#tokens.get(uid) ?? new Map<string, PodToken>();
    tokens.set(wanted, token);
    this.#tokens.set(uid, tokens);
  }

  #afterFailure(pod: Pod, known: PodToken | undefined, error: unknown): PodToken {
    const { clock, log } = this.#options;
    const why = error instanceof Error ? error.message : String(error);
    if (!known) throw new VolumeError(`failed to fetch token: ${why}`);
    if (clock.now() > known.expiresAt) throw new VolumeError(`token expired and refresh failed: ${why}`);
    const { namespace, name } = pod.metadata;
    log.warn(
      { pod: `${namespace}/${name}`, error: why },
      'could not renew the token of a pod; the old one is still valid',
    );
    return { ...known, renewAt: clock.now() + renewRetry };
  }

  async #request(pod: Pod, { audience, expirationSeconds }: ServiceAccountTokenProjection): Promise<PodToken> {
    const { client } = this.#options;
    const { namespace = '', name, uid } = pod.metadata;
    const spec = {
      ...(audience ? { audiences: [audience] } : {}),
      expirationSeconds: expirationSeconds ?? defaultExpiration,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    };
    const answer = (await client.raw({
      method: 'POST',
      path: pathOf(ServiceAccount, namespace, pod.spec?.serviceAccountName ?? 'default', 'token'),
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
    })) as TokenRequest;
    const expiresAt = Date.parse(answer.status.expirationTimestamp);
    const life = (answer.spec.expirationSeconds ?? spec.expirationSeconds) * 1000;
    const issued = expiresAt - life;
    return { token: answer.status.token, expiresAt, renewAt: Math.min(expiresAt - life / 5, issued + longestUse) };
  }
}
