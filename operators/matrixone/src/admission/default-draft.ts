import type { KubeObject } from '@coxswain/k8s';
import type { Draft } from '@coxswain/runtime/webhook';
import type { Resource } from '@coxswain/schema';

/**
 * Fills in what the spec of an object leaves out. Runs before the server has looked at the object: one that is not of the
 * kind's form is left as it is, for the server to refuse in its own words. So is a configuration that is an object: the
 * server has pruned what was in it by then, and to accept what is left would be to lose it.
 */
export function defaultDraft<T extends KubeObject>(
  resource: Resource<T>,
  draft: Draft<T>,
  filled: (object: T) => T,
): void {
  const object = draft as unknown as { spec?: unknown };
  if (resource.validate(object).length > 0) return;
  object.spec = (filled(object as unknown as T) as { readonly spec?: unknown }).spec;
}
