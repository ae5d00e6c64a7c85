import type { DynamicObject } from '@coxswain/k8s';
import type { Storage } from '../../../storage/types.ts';
import { type Hook, hooksOf } from './hook.ts';

/** The webhooks in force now, by configuration name, then by their order in it. */
export type HookSource = (storage: Storage) => readonly Hook[];

/** Webhooks from the stored configurations of one kind: read again only after one of them changed. */
export function hookSource(resource: string): HookSource {
  const known = new WeakMap<Storage, { hooks: readonly Hook[] | undefined }>();
  return (storage) => {
    let state = known.get(storage);
    if (!state) {
      const fresh: { hooks: readonly Hook[] | undefined } = { hooks: undefined };
      storage.subscribe(resource, storage.revision, () => {
        fresh.hooks = undefined;
      });
      known.set(storage, fresh);
      state = fresh;
    }
    state.hooks ??= storage.list(resource).objects.flatMap((object) => hooksOf(object as DynamicObject));
    return state.hooks;
  };
}
