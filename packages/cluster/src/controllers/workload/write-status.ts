import type { Kind, KubeObject } from '@coxswain/k8s';
import { mergeDiff } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { deepEqual, keyOf } from '@coxswain/runtime/core';
import { ignoreRace } from './tolerant.ts';

/** Whether a field holds nothing: servers leave such fields of built-in kinds out. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}

function filled(status: object | undefined): object {
  return Object.fromEntries(Object.entries(status ?? {}).filter(([, value]) => !isEmpty(value)));
}

/**
 * Makes the status of an object `status`, all of it; writes nothing when it is that already. Another object by that name is left alone.
 * Answers whether it wrote.
 * @param options.sameVersion only if the object has not changed meanwhile; default false
 * @param options.mustWrite a lost race is an error, for those whose next step relies on what was written; default false
 */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  { client }: ReconcileContext,
  kind: Kind<T>,
  object: T,
  status: NonNullable<T['status']>,
  { sameVersion = false, mustWrite = false }: { readonly sameVersion?: boolean; readonly mustWrite?: boolean } = {},
): Promise<boolean> {
  if (deepEqual(filled(status), filled(object.status))) return false;
  const body = mergeDiff(
    (object.status ?? {}) as Readonly<Record<string, unknown>>,
    status as Readonly<Record<string, unknown>>,
  );
  const { uid, resourceVersion } = object.metadata;
  const metadata = sameVersion ? { uid, resourceVersion } : { uid };
  await client
    .of(kind)
    .patch(keyOf(object), merge({ metadata, status: body }), { subresource: 'status' })
    .catch((error: unknown) => {
      if (mustWrite) throw error;
      return ignoreRace(error);
    });
  return true;
}
