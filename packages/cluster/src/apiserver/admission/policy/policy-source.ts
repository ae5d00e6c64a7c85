import type { DynamicObject } from '@coxswain/k8s';
import type { Storage } from '../../../storage/types.ts';
import { type Policy, policiesOf } from './policy.ts';

const resources = [
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
] as const;

/** The policies in force now, by name: read again only after one of them or a binding changed. */
export function policySource(): (storage: Storage) => readonly Policy[] {
  const known = new WeakMap<Storage, { policies: readonly Policy[] | undefined }>();
  return (storage) => {
    let state = known.get(storage);
    if (!state) {
      const fresh: { policies: readonly Policy[] | undefined } = { policies: undefined };
      for (const resource of resources) {
        storage.subscribe(resource, storage.revision, () => {
          fresh.policies = undefined;
        });
      }
      known.set(storage, fresh);
      state = fresh;
    }
    const [policies, bindings] = resources;
    const all = (resource: string) => storage.list(resource).objects as readonly DynamicObject[];
    state.policies ??= policiesOf(all(policies), all(bindings));
    return state.policies;
  };
}
