import { Secret, ServiceAccount } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler } from '@coxswain/runtime/controller';
import { ignoreRace } from '../workload/tolerant.ts';
import { accountAnnotation, secretScope, uidAnnotation } from './names.ts';

/** What is written into the secrets, beside the namespace. */
export interface TokenSource {
  /** Certificate authority of the server, PEM. */
  readonly certificateAuthority: string;
  /** A token without an end, good as long as the secret holds it. */
  sign(account: ServiceAccount, secret: Secret): string;
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Fills one secret, or deletes it when the account it names is not there. */
export class TokenSecrets implements Reconciler {
  readonly #source: TokenSource;
  readonly #authority: string;

  constructor(source: TokenSource) {
    this.#source = source;
    this.#authority = encoded(source.certificateAuthority);
  }

  async reconcile(context: ReconcileContext): Promise<void> {
    const { cache, client, key } = context;
    const secret = cache.informer(Secret, secretScope).store.get(key);
    if (!secret) return unreference(context);
    const { namespace = '', name, uid, annotations = {} } = secret.metadata;
    const account = await client.of(ServiceAccount).find({ namespace, name: annotations[accountAnnotation] ?? '' });
    const wanted = annotations[uidAnnotation] ?? '';
    if (!account || (wanted !== '' && wanted !== account.metadata.uid)) {
      const preconditions = uid === undefined ? {} : { preconditions: { uid } };
      await client.of(Secret).delete({ namespace, name }, preconditions).catch(ignoreRace);
      return;
    }
    const next = this.#filled(secret, account);
    if (next) await client.of(Secret).update(next);
  }

  /** The secret with all it must hold; `undefined` when it does. */
  #filled(secret: Secret, account: ServiceAccount): Secret | undefined {
    const { metadata, data = {} } = secret;
    if (data['ca.crt'] === this.#authority && data['namespace'] && data['token']) return undefined;
    const { namespace = '' } = metadata;
    const { name, uid = '' } = account.metadata;
    const annotations = { ...metadata.annotations, [accountAnnotation]: name, [uidAnnotation]: uid };
    return {
      ...secret,
      metadata: { ...metadata, annotations },
      data: {
        ...data,
        'ca.crt': this.#authority,
        namespace: data['namespace'] || encoded(namespace),
        token: data['token'] || encoded(this.#source.sign(account, secret)),
      },
    };
  }
}

/** Takes a secret that is gone off the accounts that list it. */
async function unreference({ cache, client, key }: ReconcileContext): Promise<void> {
  for (const account of cache.informer(ServiceAccount).store.list()) {
    if (account.metadata.namespace !== key.namespace) continue;
    const secrets = (account.secrets ?? []).filter(({ name }) => name !== key.name);
    if (secrets.length === (account.secrets ?? []).length) continue;
    await client
      .of(ServiceAccount)
      .update({ ...account, secrets })
      .catch(ignoreRace);
  }
}
