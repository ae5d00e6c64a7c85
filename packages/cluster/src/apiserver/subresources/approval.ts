import { cloneJson } from '@coxswain/runtime/core';
import { isObject } from '../rest/clone.ts';
import type { SubresourceForm } from '../types.ts';

/** `certificatesigningrequests/approval`: only the conditions change. */
export const approval: SubresourceForm = {
  resource: 'certificates.k8s.io/certificatesigningrequests',
  name: 'approval',
  verbs: ['get', 'patch', 'update'],
  restrict(draft, old) {
    const { conditions, ...rest } = isObject(old.status) ? old.status : {};
    const wanted = isObject(draft.status) ? draft.status.conditions : undefined;
    draft.spec = cloneJson(old.spec);
    draft.status = { ...(cloneJson(rest) as object), ...(wanted === undefined ? {} : { conditions: wanted }) };
  },
};
