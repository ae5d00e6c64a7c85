import { apiVersionOf, type Kind, type KubeObject } from '@coxswain/k8s';
import type { AppliedFieldsKeeper } from './applied-fields.ts';

export interface IngestOptions {
  /** Keep only metadata. */
  readonly metadataOnly: boolean;
  /** Keeps what field managers of ours applied; absent: nobody asks for it. */
  readonly keeper?: AppliedFieldsKeeper;
}

/**
 * The form in which a store keeps objects: without managedFields (half of an object's size; what our own field managers
 * applied is kept aside), with apiVersion and kind, and only the metadata when that is all the store holds.
 * Never changes what it is given.
 */
export function ingester<T extends KubeObject>(
  kind: Kind<T>,
  { metadataOnly, keeper }: IngestOptions,
): (object: T) => T {
  const apiVersion = apiVersionOf(kind);
  // Values that are not held cannot be compared with what was applied.
  const kept = metadataOnly ? undefined : keeper;
  return (object) => {
    const metadata = object.metadata.managedFields ? withoutManagedFields(object.metadata, kept) : object.metadata;
    if (metadataOnly) return { apiVersion, kind: kind.kind, metadata } as T;
    if (object.kind === undefined || object.apiVersion === undefined)
      return { ...object, apiVersion, kind: kind.kind, metadata };
    return metadata === object.metadata ? object : { ...object, metadata };
  };
}

function withoutManagedFields(
  metadata: KubeObject['metadata'],
  keeper: AppliedFieldsKeeper | undefined,
): KubeObject['metadata'] {
  const { managedFields = [], ...rest } = metadata;
  keeper?.keep(rest, managedFields);
  return rest;
}
