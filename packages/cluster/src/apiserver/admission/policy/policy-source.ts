import type { DynamicObject } from '@coxswain/k8s';
import type { Storage } from '../../../storage/types.ts';
import { type Policy, policiesOf, type ReadPolicy } from './policy.ts';

const group = 'admissionregistration.k8s.io';

/** The policies of a flavour that are in force now, by name: read again only after one of them or a binding changed. */
export function policySource<P extends Policy>(
  flavour: 'validating' | 'mutating',
  read: ReadPolicy<P>,
): (storage: Storage) => readonly P[] {
  const policies = `${group}/${flavour}admissionpolicies`;
  const bindings = `${group}/${flavour}admissionpolicybindings`;
  const known = new WeakMap<Storage, { policies: readonly P[] | undefined }>();
  return (storage) => {
    let state = known.get(storage);
    if (!state) {
      const fresh: { policies: readonly P[] | undefined } = { policies: undefined };
      for (const resource of [policies, bindings]) {
        storage.subscribe(resource, storage.revision, () => {
          fresh.policies = undefined;
        });
      }
      known.set(storage, fresh);
      state = fresh;
    }
    const all = (resource: string) => storage.list(resource).objects as readonly DynamicObject[];
    state.policies ??= policiesOf(all(policies), all(bindings), read);
    return state.policies;
  };
}
