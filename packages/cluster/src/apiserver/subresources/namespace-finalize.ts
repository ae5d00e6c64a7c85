import { cloneJson } from '@coxswain/runtime/core';
import { isObject } from '../rest/clone.ts';
import type { SubresourceForm } from '../types.ts';

/** `namespaces/finalize`: only `spec.finalizers` changes; the namespace goes when the last of them does. */
export const namespaceFinalize: SubresourceForm = {
  resource: '/namespaces',
  name: 'finalize',
  verbs: ['update'],
  restrict(draft, old) {
    const finalizers = isObject(draft.spec) ? draft.spec.finalizers : undefined;
    draft.spec = { ...(cloneJson(old.spec) as object), finalizers: Array.isArray(finalizers) ? finalizers : [] };
    draft.status = cloneJson(old.status);
  },
};
