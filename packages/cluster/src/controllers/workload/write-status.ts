import type { Kind, KubeObject } from '@coxswain/k8s';
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

/** Makes the status of an object `status`, all of it; writes nothing when it is that already. Another object by that name is left alone. */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  { client }: ReconcileContext,
  kind: Kind<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<void> {
  if (deepEqual(filled(status), filled(object.status))) return;
  const gone = Object.keys(object.status ?? {}).filter((field) => !(field in status));
  const body = { ...status, ...Object.fromEntries(gone.map((field) => [field, null])) };
  await client
    .of(kind)
    .patch(keyOf(object), merge({ metadata: { uid: object.metadata.uid }, status: body }), { subresource: 'status' })
    .catch(ignoreRace);
}
