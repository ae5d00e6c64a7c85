import type { DynamicObject } from '@coxswain/k8s';
import type { Strategy } from '../../types.ts';

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccountStrategy: Strategy = {
  warnings(object, old) {
    const sets = (account: DynamicObject | undefined) => mountableSecrets in (account?.metadata.annotations ?? {});
    if (!sets(object) || sets(old)) return [];
    const what = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    return [`metadata.annotations[${mountableSecrets}]: ${what}`];
  },
};
