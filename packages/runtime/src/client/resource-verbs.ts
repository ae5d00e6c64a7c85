import type { KubeObject } from '@coxswain/k8s';
import { keyOf, type ObjectKey } from '../core/index.ts';
import { apply } from './patch.ts';
import type { Patch, PatchOptions, Scale, ServerSideApplyOptions, Subresource, WriteOptions } from './types.ts';

/** The verbs that are made of others. Whatever stands between a program and its writes inherits them, and so sees them. */
export abstract class ResourceVerbs<T extends KubeObject> {
  abstract patch(key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<T>;
  abstract subresource<S extends object = T>(name: string): Subresource<S>;

  apply(object: KubeObject, options?: ServerSideApplyOptions): Promise<T> {
    return this.patch(keyOf(object), apply(object), options);
  }

  applyStatus(object: KubeObject, options?: ServerSideApplyOptions): Promise<T> {
    return this.patch(keyOf(object), apply(object), { ...options, subresource: 'status' });
  }

  patchStatus(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T> {
    return this.patch(key, patch, { ...options, subresource: 'status' });
  }

  get scale(): Subresource<Scale> {
    return this.subresource<Scale>('scale');
  }
}

/** Whether an answer of a subresource is an object with metadata, as its writers compare them. */
export function isObject(answer: object): answer is KubeObject {
  const { metadata } = answer as { readonly metadata?: unknown };
  return typeof metadata === 'object' && metadata !== null;
}
