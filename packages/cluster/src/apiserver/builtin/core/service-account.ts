import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { Strategy } from '../../types.ts';
import { objectsAt, textAt } from '../shared/draft.ts';

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets';

/** Of the secrets of an account only the names are kept. */
function keepNames(draft: MutableJson): void {
  if (!Array.isArray(draft.secrets)) return;
  draft.secrets = objectsAt(draft, 'secrets').map((secret) => (textAt(secret, 'name') ? { name: secret.name } : {}));
}

export const serviceAccountStrategy: Strategy = {
  prepareCreate: keepNames,
  prepareUpdate: keepNames,
  warnings(object, old) {
    const sets = (account: DynamicObject | undefined) => mountableSecrets in (account?.metadata.annotations ?? {});
    if (!sets(object) || sets(old)) return [];
    const what = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    return [`metadata.annotations[${mountableSecrets}]: ${what}`];
  },
};
