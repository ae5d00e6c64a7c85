import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { deepFreeze } from '@coxswain/runtime/core';
import type { ResourceInfo } from '../types.ts';
import { apiVersionOf } from './context.ts';

const converted = new WeakMap<ResourceInfo, WeakMap<object, DynamicObject>>();

/**
 * A stored object in the version of the resource it is asked through: the same object when it is stored so,
 * else one shared, frozen copy.
 */
export function served(resource: ResourceInfo, object: KubeObject): DynamicObject {
  const stored = object as DynamicObject;
  const apiVersion = apiVersionOf(resource);
  const { conversion } = resource;
  if (!conversion && stored.apiVersion === apiVersion) return stored;
  let copies = converted.get(resource);
  if (!copies) {
    copies = new WeakMap();
    converted.set(resource, copies);
  }
  let copy = copies.get(stored);
  if (!copy) {
    const form: object = conversion?.fromStored(stored) ?? { ...stored, apiVersion };
    copy = deepFreeze(form as DynamicObject);
    copies.set(stored, copy);
  }
  return copy;
}
