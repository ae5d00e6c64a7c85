/** Secrets that hold the token of a service account for good: filled when they come, gone with the account they name. */
import { Secret, ServiceAccount } from '@coxswain/k8s';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { tolerant } from '../workload/tolerant.ts';
import { accountAnnotation, secretScope } from './names.ts';
import { TokenSecrets, type TokenSource } from './token-secrets.ts';

export type { TokenSource } from './token-secrets.ts';

/** Adds the controller of token secrets to the control plane's manager. */
export function tokenSecretController(manager: Manager, source: TokenSource): void {
  const secrets = manager.cache.informer(Secret, secretScope);
  manager
    .controller(Secret, 'serviceaccount-tokens')
    .scope(secretScope)
    .watches(ServiceAccount, {
      where: ({ type }) => type === 'deleted',
      map: ({ metadata: { namespace, name } }) =>
        [...secrets.store.list()]
          .filter(
            ({ metadata }) => metadata.namespace === namespace && metadata.annotations?.[accountAnnotation] === name,
          )
          .map(keyOf),
    })
    .run(tolerant(new TokenSecrets(source)));
}
