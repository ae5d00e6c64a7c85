import type { MutableJson } from '@coxswain/k8s';
import { cloneJson } from '@coxswain/runtime/core';
import { isObject } from '../rest/clone.ts';
import type { SubresourceForm } from '../types.ts';

const verbs = ['get', 'patch', 'update'];

function objectsIn(spec: unknown, field: string): MutableJson[] {
  const list = isObject(spec) ? spec[field] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** `pods/ephemeralcontainers`: only `spec.ephemeralContainers` changes. */
export const ephemeralContainers: SubresourceForm = {
  resource: '/pods',
  name: 'ephemeralcontainers',
  verbs,
  restrict(draft, old) {
    const added = objectsIn(draft.spec, 'ephemeralContainers');
    draft.spec = { ...(cloneJson(old.spec) as object), ...(added.length > 0 ? { ephemeralContainers: added } : {}) };
    draft.status = cloneJson(old.status);
  },
};

/** `pods/resize`: only the resources of containers change. */
export const resize: SubresourceForm = {
  resource: '/pods',
  name: 'resize',
  verbs,
  restrict(draft, old) {
    const spec = cloneJson(old.spec) as MutableJson;
    for (const field of ['containers', 'initContainers']) {
      const wanted = new Map(objectsIn(draft.spec, field).map((container) => [container.name, container]));
      for (const container of objectsIn(spec, field)) {
        const { resources, resizePolicy } = wanted.get(container.name) ?? container;
        if (resources !== undefined) container.resources = resources;
        if (resizePolicy !== undefined) container.resizePolicy = resizePolicy;
      }
    }
    draft.spec = spec;
    draft.status = cloneJson(old.status);
  },
};
