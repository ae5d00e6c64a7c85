import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { deepFreeze } from '@coxswain/runtime/core';
import type { ResourceInfo } from '../types.ts';
import { apiVersionOf } from './context.ts';

type ToServed = (object: KubeObject) => DynamicObject;

const forms = new WeakMap<ResourceInfo, ToServed>();

/**
 * A stored object in the version of the resource it is asked through: the same object when it is stored so,
 * else one shared, frozen copy.
 */
export function served(resource: ResourceInfo, object: KubeObject): DynamicObject {
  return servedForm(resource)(object);
}

/** {@link served} for many objects of one resource. */
export function servedForm(resource: ResourceInfo): ToServed {
  let form = forms.get(resource);
  if (!form) {
    form = makeForm(resource);
    forms.set(resource, form);
  }
  return form;
}

/**
 * Gets stored objects ready to be served, where their form is made elsewhere: until then {@link served} fails for them.
 * @param fresh what was made before does not count
 * @returns undefined when there is nothing to wait for
 */
export function prepareServed(
  resource: ResourceInfo,
  objects: readonly KubeObject[],
  fresh = false,
): Promise<void> | undefined {
  return resource.conversion?.remote?.read(objects as readonly DynamicObject[], fresh);
}

function makeForm(resource: ResourceInfo): ToServed {
  const apiVersion = apiVersionOf(resource);
  const { conversion } = resource;
  // Custom kinds remember their forms themselves.
  if (conversion && !resource.builtIn)
    return (object) => conversion.fromStored(object as DynamicObject) as DynamicObject;
  const copies = new WeakMap<object, DynamicObject>();
  return (object) => {
    if (!conversion && object.apiVersion === apiVersion) return object as DynamicObject;
    let copy = copies.get(object);
    if (!copy) {
      const form: object = conversion?.fromStored(object as DynamicObject) ?? { ...object, apiVersion };
      copy = deepFreeze(form as DynamicObject);
      copies.set(object, copy);
    }
    return copy;
  };
}
