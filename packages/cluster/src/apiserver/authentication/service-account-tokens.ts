import type { KubeObject } from '@coxswain/k8s';
import { type Clock, type Random, randomUuid } from '@coxswain/runtime/core';
import type { Storage } from '../../storage/types.ts';
import { isObject } from '../builtin/shared/draft.ts';
import type { UserInfo } from '../types.ts';
import { type TokenSigner, tokenSigner } from './jwt.ts';
import { checkSecretToken, claimNames, legacyIssuer, textClaim } from './secret-tokens.ts';
import { TokenError } from './token-error.ts';

/** Who signs the tokens, and whom they are for unless said otherwise. */
export const issuer = 'https://kubernetes.default.svc.cluster.local';

export interface ObjectRef {
  readonly name: string;
  readonly uid: string;
}

/** What a token says about its service account and what it is bound to. */
export interface TokenSubject {
  readonly namespace: string;
  readonly serviceaccount: ObjectRef;
  readonly pod?: ObjectRef;
  readonly secret?: ObjectRef;
  readonly node?: ObjectRef;
  /** Wall time in seconds, from when on its use is noted: it should have been renewed. */
  readonly warnafter?: number;
}

export interface IssuedToken {
  readonly token: string;
  /** Wall time in seconds, without the grace. */
  readonly expires: number;
}

/** A token that is good: whose it is, and which of the wanted audiences it is for. */
export interface Recognised {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
  /** For whoever uses it. */
  readonly warnings?: readonly string[];
}

/** Clocks of others may be off by this much, in seconds. */
const leeway = 60;

const audienceError = (own: readonly string[], wanted: readonly string[]) =>
  new TokenError(`token audiences ${goList(own)} is invalid for the target audiences ${goList(wanted)}`);

const goList = (texts: readonly string[]) => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;

export interface TokensOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  /** EC P-256 private key, PEM. */
  readonly key: string;
}

/** Issues tokens of service accounts and recognises them, as long as what they are bound to is there. */
export class ServiceAccountTokens {
  readonly #options: TokensOptions;
  #signer: TokenSigner | undefined;

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  /** Made when first used: a cluster without tokens needs no key. */
  get signer(): TokenSigner {
    this.#signer ??= tokenSigner(this.#options.key);
    return this.#signer;
  }

  /**
   * @param seconds how long it is good
   * @param grace seconds for which it is good after that, though it should be renewed by then
   */
  issue(subject: TokenSubject, audiences: readonly string[], seconds: number, grace = 0): IssuedToken {
    const { clock, random } = this.#options;
    const now = Math.floor(clock.now() / 1000);
    const expires = now + seconds;
    const token = this.signer.sign({
      aud: audiences,
      exp: expires + grace,
      iat: now,
      iss: issuer,
      jti: randomUuid(random),
      'kubernetes.io': grace === 0 ? subject : { ...subject, warnafter: expires },
      nbf: now,
      sub: `system:serviceaccount:${subject.namespace}:${subject.serviceaccount.name}`,
    });
    return { token, expires };
  }

  /** A token without an end: it is good as long as the secret holds it. */
  issueForSecret(account: KubeObject, secret: KubeObject): string {
    const { namespace = '', name, uid } = account.metadata;
    return this.signer.sign({
      iss: legacyIssuer,
      [claimNames.namespace]: namespace,
      [claimNames.secret]: secret.metadata.name,
      [claimNames.account]: name,
      [claimNames.uid]: uid,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /**
   * Whose token it is; `undefined` when it is none of ours.
   * @param wanted audiences of which it must be for one; default the API server
   * @throws TokenError when it is ours but not good
   */
  recognise(token: string, wanted: readonly string[] = [issuer]): Recognised | undefined {
    if (token.split('.').length !== 3) return undefined;
    const claims = this.signer.verify(token);
    if (claims?.['iss'] === legacyIssuer) return this.#recogniseLegacy(token, claims, wanted);
    if (claims?.['iss'] !== issuer) return undefined;
    const own = (Array.isArray(claims['aud']) ? claims['aud'] : [claims['aud']]) as readonly string[];
    const audiences = own.filter((audience) => wanted.includes(audience));
    if (audiences.length === 0) {
      throw audienceError(own, wanted);
    }
    this.#checkTime(claims);
    const subject = claims['kubernetes.io'];
    if (!isObject(subject)) return undefined;
    const known = subject as unknown as TokenSubject;
    this.#checkObjects(known);
    return { user: userOf(known, String(claims['jti'] ?? '')), audiences };
  }

  #recogniseLegacy(
    token: string,
    claims: Readonly<Record<string, unknown>>,
    wanted: readonly string[],
  ): Recognised | undefined {
    if (!wanted.includes(issuer)) throw audienceError([issuer], wanted);
    const { storage, clock } = this.#options;
    const warnings = checkSecretToken(storage, clock, token, claims);
    const namespace = textClaim(claims, claimNames.namespace);
    const subject = {
      namespace,
      serviceaccount: { name: textClaim(claims, claimNames.account), uid: textClaim(claims, claimNames.uid) },
    };
    return { user: userOf(subject, ''), audiences: [issuer], ...(warnings.length > 0 ? { warnings } : {}) };
  }

  #checkTime({ exp, nbf }: Readonly<Record<string, unknown>>): void {
    const now = this.#options.clock.now() / 1000;
    if (typeof exp !== 'number' || now > exp + leeway) throw new TokenError('service account token has expired');
    if (typeof nbf === 'number' && now < nbf - leeway) {
      throw new TokenError('service account token is not valid yet');
    }
  }

  #checkObjects({ namespace, serviceaccount, pod, secret, node }: TokenSubject): void {
    const account = this.#find('/serviceaccounts', namespace, serviceaccount.name);
    if (!account) throw new TokenError(`serviceaccounts "${serviceaccount.name}" not found`);
    if (account.uid !== serviceaccount.uid) {
      throw new TokenError(`service account UID (${account.uid}) does not match claim (${serviceaccount.uid})`);
    }
    if (account.gone) throw new TokenError(`service account ${namespace}/${serviceaccount.name} has been deleted`);
    if (secret) this.#checkBound('secret', '/secrets', namespace, secret);
    if (pod) this.#checkBound('pod', '/pods', namespace, pod);
    else if (node) this.#checkBound('node', '/nodes', '', node);
  }

  #checkBound(kind: string, resource: string, namespace: string, ref: ObjectRef): void {
    const found = this.#find(resource, namespace, ref.name);
    if (found && found.uid !== ref.uid) {
      const claim = `service account ${kind} ref claim (${ref.uid})`;
      throw new TokenError(`${kind} UID (${found.uid}) does not match ${claim}`);
    }
    if (!found || found.gone) throw new TokenError('service account token has been invalidated');
  }

  /** `gone`: marked for deletion longer ago than clocks may be off. */
  #find(resource: string, namespace: string, name: string): { uid: string; gone: boolean } | undefined {
    const found = this.#options.storage.get({ resource, namespace, name });
    if (!found) return undefined;
    const { uid = '', deletionTimestamp } = found.metadata;
    const limit = this.#options.clock.now() - leeway * 1000;
    return { uid, gone: deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < limit };
  }
}

function userOf({ namespace, serviceaccount, pod, node }: TokenSubject, id: string): UserInfo {
  const refs = { pod, node };
  const extra: Record<string, readonly string[]> = {};
  if (id !== '') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${id}`];
  for (const [kind, ref] of Object.entries(refs)) {
    if (!ref) continue;
    extra[`authentication.kubernetes.io/${kind}-name`] = [ref.name];
    if (ref.uid) extra[`authentication.kubernetes.io/${kind}-uid`] = [ref.uid];
  }
  return {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra,
  };
}
